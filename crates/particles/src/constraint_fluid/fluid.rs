//! Makes a constraint fluid and puts it into a model.

use std::sync::Arc;

use huygens_core::builder::{self, FrameKey, MaterialNumbers, Part, PartContact, Places};
use huygens_core::contact::{Proxy, ProxySource};
use huygens_core::{Model, Subject};
use huygens_geometry::{Pose, Shape};
use huygens_kernel::Vec3;

use super::markers::FluidMarkers;
use super::rows::{FluidRows, Shared};
use super::settings::{ConstraintFluidSettings, FluidLaw};
use super::walls::{FluidWall, WallCarrier, own_sums};
use crate::error::{ParticleError, Result, part_of};
use crate::sph::{FluidFill, SolidDraft};

/// A constraint fluid in the making.
#[derive(Clone)]
pub struct ConstraintFluid {
    name: String,
    settings: ConstraintFluidSettings,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    pressures: Vec<f64>,
    walls: Vec<FluidWall>,
    /// First position number, first column and first frame, once its coordinates are placed.
    place: Option<[usize; 3]>,
    placed: Option<FluidPlace>,
}

/// Where a fluid is in a model: reads it from states.
#[derive(Clone)]
pub struct FluidPlace {
    pub(super) shared: Arc<Shared>,
    pub(super) history: usize,
    /// Pressures at the start [Pa].
    pub(super) pressures: Arc<[f64]>,
}

impl ConstraintFluid {
    /// A fluid without markers.
    pub fn new(name: &str, settings: ConstraintFluidSettings) -> Result<Self> {
        settings.check()?;
        if settings.law == FluidLaw::Spheres && settings.viscosity > 0.0 {
            return Err(ParticleError::range(
                part_of("the viscosity", "fluid", name),
                settings.viscosity,
                "0 for a fluid of spheres",
            )
            .at("viscosity"));
        }
        Ok(Self {
            name: name.to_owned(),
            settings,
            positions: Vec::new(),
            velocities: Vec::new(),
            pressures: Vec::new(),
            walls: Vec::new(),
            place: None,
            placed: None,
        })
    }

    /// Settings.
    pub fn settings(&self) -> &ConstraintFluidSettings {
        &self.settings
    }

    /// Number of fluid markers.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds a marker; its number.
    pub fn add(&mut self, position: Vec3, velocity: Vec3) -> Result<usize> {
        self.add_with_pressure(position, velocity, 0.0)
    }

    /// Adds a marker with a pressure [Pa] that [`FluidPlace::start`] takes for a first guess; its number.
    pub fn add_with_pressure(&mut self, position: Vec3, velocity: Vec3, pressure: f64) -> Result<usize> {
        let off = self.settings.space.normal().map_or(0.0, |normal| velocity[normal]);
        if !(position.is_finite() && velocity.is_finite() && off == 0.0) {
            return Err(ParticleError::range(
                part_of(format!("position or velocity of marker {}", self.len()), "fluid", &self.name),
                if position.is_finite() { off } else { position.length() },
                "finite, and the velocity in the plane of the flow",
            ));
        }
        self.positions.push(position);
        self.velocities.push(velocity);
        self.pressures.push(if pressure.is_finite() { pressure } else { 0.0 });
        Ok(self.len() - 1)
    }

    /// Adds the markers of a fill that falls with an acceleration [m/s²]; where it is hydrostatic, it starts under the
    /// pressure of a fluid at rest.
    pub fn add_fill(&mut self, fill: &FluidFill, acceleration: Vec3) -> Result<()> {
        let ConstraintFluidSettings { density, spacing, periodic, .. } = self.settings;
        let repeats = periodic.map(|axis| axis.is_some());
        for (point, pressure) in fill.with_pressures(acceleration, density, spacing, repeats) {
            self.add_with_pressure(point, fill.velocity, pressure)?;
        }
        Ok(())
    }

    /// Adds a solid that is settled, each part a wall with the carrier that `carrier` says; one that the world carries stays
    /// where the part is.
    pub fn add_draft(
        &mut self,
        solid: &mut SolidDraft,
        carrier: impl Fn(usize) -> WallCarrier,
    ) -> Result<()> {
        solid.first = self.walls.len();
        for (part, (points, start)) in solid.parts.iter().zip(&solid.starts).enumerate() {
            let (mut points, carrier) = (points.clone(), carrier(part));
            if carrier == WallCarrier::World {
                points.iter_mut().for_each(|p| *p = start.point(*p));
            }
            self.add_wall(FluidWall { name: solid.name.clone(), points, carrier })?;
        }
        Ok(())
    }

    /// Adds markers of a wall or body; its number.
    pub fn add_wall(&mut self, wall: FluidWall) -> Result<usize> {
        if let Some(k) = wall.points.iter().position(|point| !point.is_finite()) {
            return Err(ParticleError::range(
                part_of(format!("marker {k}"), "wall", &wall.name),
                f64::NAN,
                "at a finite place",
            ));
        }
        self.walls.push(wall);
        Ok(self.walls.len() - 1)
    }

    /// Where it is in the model, once it is placed.
    pub fn placed(&self) -> Option<&FluidPlace> {
        self.placed.as_ref()
    }

    /// Places the columns of the markers.
    fn place_columns(&mut self, model: &mut Model) {
        let place = model.add_coordinates(Box::new(FluidMarkers {
            name: self.name.clone(),
            mass: self.settings.mass(),
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
            frames: self.settings.contact.is_some(),
            acceleration: self.settings.acceleration,
            normal: self.settings.space.normal(),
        }));
        self.place = Some([place.first_q, place.first_v, place.first_frame as usize]);
    }

    /// Places the rows, and the coordinates where they are not in the model yet. All coordinates of a model come before
    /// elements, constraints and rows; walls are carried by the world or by frames.
    pub fn place(&mut self, model: &mut Model) -> FluidPlace {
        if self.place.is_none() {
            self.place_columns(model);
        }
        let [first_q, first_v, _] = self.place.unwrap_or_default();
        let lattice = self.settings.lattice();
        let own_sums = own_sums(&self.settings, &self.walls).iter().map(|sum| sum.min(lattice.sum)).collect();
        let walls = self.walls.iter().enumerate();
        let wall_of = walls.flat_map(|(k, wall)| std::iter::repeat_n(k as u32, wall.points.len())).collect();
        let shared = Arc::new(Shared {
            name: self.name.clone(),
            settings: self.settings.clone(),
            lattice,
            count: self.positions.len(),
            first_q,
            first_v,
            walls: self.walls.clone(),
            own_sums,
            wall_of,
        });
        let history = model.add_row_source(Arc::new(FluidRows { shared: shared.clone() }));
        let placed = FluidPlace { shared, history, pressures: self.pressures.as_slice().into() };
        self.placed = Some(placed.clone());
        placed
    }

    /// The markers as spheres of the contact stage, once their coordinates are placed; none without
    /// [`ConstraintFluidSettings::contact`].
    pub fn proxies(&self) -> Option<Arc<dyn ProxySource>> {
        self.proxies_of(self.settings.contact?.material)
    }

    fn proxies_of(&self, material: u16) -> Option<Arc<dyn ProxySource>> {
        let (contact, [.., first_frame]) = (self.settings.contact?, self.place?);
        let proxies = (0..self.positions.len())
            .map(|k| Proxy {
                shape: Shape::Sphere { radius: contact.radius * self.settings.spacing },
                pose: Pose::IDENTITY,
                frame: (first_frame + k) as u32,
                material,
                group: contact.group,
                mask: contact.mask,
                family: contact.family,
            })
            .collect();
        Some(Arc::new(MarkerProxies { name: self.name.clone(), proxies }))
    }
}

/// A fluid in a model with other parts, whose frames carry its walls.
impl Part for ConstraintFluid {
    fn place_coordinates(&mut self, model: &mut Model) -> builder::Result<()> {
        self.place_columns(model);
        Ok(())
    }

    fn place_batches(&mut self, model: &mut Model, places: &Places<'_>) -> builder::Result<()> {
        for wall in &mut self.walls {
            let key = match wall.carrier {
                WallCarrier::Body(index) => FrameKey::body(index as u32),
                WallCarrier::Piece(surface, piece) => FrameKey::surface(surface as u32, piece),
                WallCarrier::World | WallCarrier::Frame(_) => continue,
            };
            let asker =
                Subject::object("fluid", &self.name).map(|fluid| format!("{fluid}, wall '{}',", wall.name));
            let place = places.frame(&asker, key)?;
            wall.points.iter_mut().for_each(|point| *point -= place.offset);
            wall.carrier = WallCarrier::Frame(place.frame);
        }
        self.place(model);
        Ok(())
    }

    fn contact(
        &self,
        _places: &Places<'_>,
        materials: &MaterialNumbers,
    ) -> builder::Result<Option<PartContact>> {
        let Some(contact) = self.settings.contact else { return Ok(None) };
        let material = materials.number(&Subject::object("fluid", &self.name), contact.material.into())?;
        let source = self.proxies_of(material);
        Ok(source.map(|source| PartContact { source, exclusions: Vec::new() }))
    }
}

/// Markers as spheres.
struct MarkerProxies {
    name: String,
    proxies: Vec<Proxy>,
}

impl ProxySource for MarkerProxies {
    fn proxies(&self) -> Vec<Proxy> {
        self.proxies.clone()
    }

    fn proxy_name(&self, proxy: usize) -> String {
        format!("marker {proxy} of fluid '{}'", self.name)
    }
}
