//! What a system was made with, and how that changes.

use huygens_kernel::contact::{CompliantComposite, CompliantMaterial, CompliantModel};

use crate::error::{ParticleError, Result};
use crate::grains::model::{GrainModel, GrainSettings};
use crate::grains::system::GrainSystem;
use crate::grains::traffic::Traffic;
use crate::row::Row;
use crate::walls::wall::WallMotion;

impl GrainSystem {
    /// Its settings.
    pub fn settings(&self) -> &GrainSettings {
        &self.model.settings
    }

    /// Counts time and steps from zero again; contacts keep what they remember. The motions of walls are to be set anew.
    pub fn restart_clock(&mut self) {
        (self.time, self.step) = (0.0, 0);
    }

    /// Makes a bed that has come to rest the start of a run: its contacts keep what they remember, time starts again, walls
    /// may move as given, and inlets and outlets begin to work.
    pub fn begin_after_rain(
        &mut self,
        walls: impl IntoIterator<Item = (usize, WallMotion)>,
        traffic: Option<Traffic>,
    ) -> Result<()> {
        self.restart_clock();
        for (wall, motion) in walls {
            self.set_wall_motion(wall, motion)?;
            self.take_wall_impulse(wall);
        }
        traffic.map_or(Ok(()), |traffic| self.set_traffic(traffic))
    }

    /// Index of the material of each grain, in the present order.
    pub fn materials(&self) -> &[u8] {
        self.fields.material.read()
    }

    /// Changes laws and materials from now on; all else stays.
    ///
    /// Contacts keep what they remember where it means the same under the new laws: those of friction, rolling and
    /// spinning are of the same kind, and both or neither have damping by hysteresis. Else contacts start anew, as if
    /// grains had just touched.
    pub fn change_laws(
        &mut self,
        model: CompliantModel,
        materials: Vec<CompliantMaterial>,
        pairs: Vec<(usize, usize, CompliantComposite)>,
    ) -> Result<()> {
        let settings = GrainSettings { model, materials, pairs, ..self.model.settings.clone() };
        let mut next = GrainModel::new(settings)?;
        let count = next.settings.materials.len();
        let missing = |what: String, index| Err(ParticleError::UnknownMaterial { what, index, count });
        for index in self.fields.material.read().iter().map(|m| usize::from(*m)) {
            if index >= count {
                return missing("a grain".into(), index);
            }
            next.refused[index].take().map_or(Ok(()), Err)?;
        }
        for shape in self.clumps.materials() {
            if shape >= count {
                return missing("a clump".into(), shape);
            }
        }
        for wall in &self.walls {
            if wall.material >= count {
                return missing(format!("wall '{}'", wall.name), wall.material);
            }
        }
        let (old, new) = (&self.model.laws, &next.laws);
        let same = old.layout == new.layout && old.model.meaning_of_memory() == new.model.meaning_of_memory();
        if !same {
            let width = new.layout.width();
            for chunk in &mut self.list.chunks {
                chunk.history = vec![Row::ZERO; chunk.pair_count() * width];
                chunk.walls.history = vec![Row::ZERO; chunk.walls.known.len() * width];
            }
            self.list.layout = new.layout;
        }
        let GrainModel { settings, laws, refused, .. } = next;
        (self.model.settings, self.model.laws, self.model.refused) = (settings, laws, refused);
        Ok(())
    }
}
