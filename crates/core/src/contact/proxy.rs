//! What collides: proxies, their filters, and the part of the model that describes contact.

use std::sync::Arc;

use huygens_geometry::{Pose, Shape};
use huygens_kernel::contact::{CompliantPair, ContactError};

use super::Contact;
use super::law::CompliantLaw;
use super::material::{self, Composite, MaterialTable};
use super::{ContactLaw, ContactSettings, Material};
use crate::contract::StateView;
use crate::error::{CoreError, Result};
use crate::parameter::{ParameterError, ParameterTarget};

/// A shape that a frame carries.
#[derive(Clone, Debug)]
pub struct Proxy {
    /// The shape; never a compound, whose parts are proxies of their own.
    pub shape: Shape,
    /// Pose of the shape in its frame.
    pub pose: Pose,
    /// The frame that carries it.
    pub frame: u32,
    /// Index of its material.
    pub material: u16,
    /// Groups it belongs to, as bits.
    pub group: u32,
    /// Groups it touches, as bits.
    pub mask: u32,
    /// Proxies of one family never touch each other; 0 is no family.
    pub family: u32,
}

/// Everything that publishes collision proxies; one pipeline pairs them all.
pub trait ProxySource: Send + Sync {
    /// The proxies, asked once; `material` is a number of the contact model.
    fn proxies(&self) -> Vec<Proxy>;
    /// What the carrier of a proxy is called in messages, such as `body 'wheel'`.
    fn proxy_name(&self, proxy: usize) -> String;
    /// Whether shapes of the source change while it moves.
    fn reshapes(&self) -> bool {
        false
    }
    /// Shape and pose of a proxy at a state, where they are not those it started with. Called from many threads.
    fn shape_at(&self, _proxy: usize, _x: &StateView<'_>) -> Option<PlacedShape> {
        None
    }
}

/// Shape and pose of a proxy that changes while it moves.
#[derive(Clone, Debug)]
pub struct PlacedShape {
    /// The shape.
    pub shape: Shape,
    /// Pose of the shape in its frame.
    pub pose: Pose,
    /// The most speed [m/s] that deformation adds to the rigid motion of a point of its surface.
    pub stretch_speed: f64,
}

impl PlacedShape {
    /// A shape about the origin of its frame.
    pub fn at_origin(shape: Shape) -> Self {
        Self { shape, pose: Pose::IDENTITY, stretch_speed: 0.0 }
    }
}

/// User code that takes part in contact; called from many threads.
pub trait ContactCallback: Send + Sync {
    /// Whether two proxies may touch; asked for every pair of near boxes.
    fn keep(&self, _a: u32, _b: u32) -> bool {
        true
    }
    /// Changes the composite material of one contact.
    fn modify(&self, _contact: &Contact, _composite: &mut Composite) {}
}

/// A material of a [`ContactModel`] with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactMaterial {
    /// Name, for messages.
    pub name: String,
    /// Its numbers.
    pub material: Material,
}

/// The part of a model that describes contact. Copies share what does not depend on materials.
#[derive(Clone, Default)]
pub struct ContactModel {
    pub(crate) settings: ContactSettings,
    pub(crate) sources: Vec<(Arc<dyn ProxySource>, usize)>,
    pub(crate) proxies: Arc<Vec<Proxy>>,
    materials: Vec<ContactMaterial>,
    /// Materials with which the model was built.
    scene_materials: Arc<Vec<ContactMaterial>>,
    pub(crate) table: MaterialTable,
    /// What pairs of materials make together where it is not the rule.
    composites: Vec<([u16; 2], Composite)>,
    /// Pairs of frames that never touch, smaller first, sorted.
    exclusions: Arc<Vec<[u32; 2]>>,
    pub(crate) callback: Option<Arc<dyn ContactCallback>>,
    /// A law of the user's own in place of the composed one.
    user_law: Option<Arc<dyn CompliantLaw>>,
    /// Coefficients of the compliant law for each composite, or why there are none.
    pub(crate) compliant_pairs: Vec<std::result::Result<CompliantPair, ContactError>>,
    /// Bounding radius of each shape about its own origin [m]; the infinite ones count as none.
    pub(crate) radii: Arc<Vec<f64>>,
}

impl ContactModel {
    /// No proxies yet.
    pub fn new(settings: ContactSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Settings of contact.
    pub fn settings(&self) -> &ContactSettings {
        &self.settings
    }

    /// Adds materials; they are numbered in order.
    pub fn add_materials(&mut self, materials: impl IntoIterator<Item = ContactMaterial>) -> Result<()> {
        self.materials.extend(materials);
        self.scene_materials = Arc::new(self.materials.clone());
        self.combine()
    }

    /// The materials, by number.
    pub fn materials(&self) -> &[ContactMaterial] {
        &self.materials
    }

    /// The materials with which the model was built.
    pub(crate) fn scene_materials(&self) -> &[ContactMaterial] {
        &self.scene_materials
    }

    /// Combines all materials.
    fn combine(&mut self) -> Result<()> {
        let numbers: Vec<Material> = self.materials.iter().map(|m| m.material).collect();
        self.table = MaterialTable::new(&numbers)?;
        for ([a, b], composite) in &self.composites {
            self.table.set(*a, *b, *composite);
        }
        Ok(())
    }

    /// The model with other numbers of materials, given as material, place among [`Material::parameters`], name and
    /// value; none where all of them are there already.
    pub(crate) fn with_materials(
        &self,
        changes: &[(usize, usize, &ParameterTarget, f64)],
    ) -> Result<Option<Self>> {
        let mut materials = self.materials.clone();
        let mut changed = false;
        let refuse = |target: &ParameterTarget, value, expected| ParameterError::Range {
            target: target.clone(),
            value,
            expected,
        };
        for &(k, place, target, value) in changes {
            let now = &material::parameters(&materials[k].material)[place];
            if !now.range.contains(value) {
                return Err(refuse(target, value, now.range.to_string()).into());
            }
            changed |= now.value.to_bits() != value.to_bits();
            material::set_parameter(&mut materials[k].material, place, value);
        }
        for &(k, _, target, value) in changes {
            let ContactMaterial { material, .. } = &materials[k];
            material.check().map_err(|(_, problem)| refuse(target, value, problem))?;
        }
        if !changed {
            return Ok(None);
        }
        let mut model = Self { materials, ..self.clone() };
        model.combine()?;
        model.prepare()?;
        Ok(Some(model))
    }

    /// The model with the materials it was built with.
    pub(crate) fn as_built(&self) -> Self {
        let mut model = Self { materials: self.scene_materials.to_vec(), ..self.clone() };
        // They were combined before.
        if model.combine().and_then(|()| model.prepare()).is_err() {
            return self.clone();
        }
        model
    }

    /// Adds a source; its proxies name materials by their numbers.
    pub fn add_proxies(&mut self, source: Arc<dyn ProxySource>) {
        let first_proxy = self.proxies.len();
        let (proxies, radii) = (Arc::make_mut(&mut self.proxies), Arc::make_mut(&mut self.radii));
        for proxy in source.proxies() {
            radii.push(proxy.shape.bounding_radius());
            proxies.push(proxy);
        }
        self.sources.push((source, first_proxy));
    }

    /// Replaces what two materials make together.
    pub fn set_composite(&mut self, a: u16, b: u16, composite: Composite) {
        self.composites.push(([a, b], composite));
        self.table.set(a, b, composite);
    }

    /// Prepares the coefficients of the contact law; says what a material lacks.
    pub(crate) fn prepare(&mut self) -> Result<()> {
        self.settings.check()?;
        if self.user_law.is_some() && self.settings.law != ContactLaw::Compliant {
            return Err(CoreError::Parameter {
                name: "contact.law".into(),
                value: "\"rigid\"".into(),
                expected: "\"compliant\": a contact law of your own gives forces, not cones".into(),
            });
        }
        if self.settings.law == ContactLaw::Compliant {
            let law = &self.settings.compliant;
            let pairs = self.table.composites().iter().map(|c| CompliantPair::new(law, &c.surface));
            self.compliant_pairs = pairs.collect();
        }
        Ok(())
    }

    /// Whether the compliant law has coefficients for all materials that can meet: those of proxies that `moves` says
    /// move, with all others.
    pub(crate) fn check_pairs(&self, moves: impl Fn(u32) -> bool) -> Result<()> {
        if self.user_law.is_some() {
            return Ok(());
        }
        let mut used = vec![(false, false); self.materials.len()];
        for proxy in self.proxies.iter() {
            let used = &mut used[proxy.material as usize];
            *used = (true, used.1 || moves(proxy.frame));
        }
        for (a, _) in used.iter().enumerate().filter(|(_, u)| u.1) {
            for (b, _) in used.iter().enumerate().filter(|(_, u)| u.0) {
                let pair = self.compliant_pairs.get(self.table.index(a as u16, b as u16) as usize);
                if let Some(Err(e)) = pair {
                    return Err(CoreError::Contact { reason: e.to_string().into(), time: 0.0, step: 0 });
                }
            }
        }
        Ok(())
    }

    /// Frames that never touch each other.
    pub fn set_exclusions(&mut self, pairs: impl IntoIterator<Item = [u32; 2]>) {
        let mut all: Vec<[u32; 2]> = pairs.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        all.sort_unstable();
        all.dedup();
        self.exclusions = Arc::new(all);
    }

    /// User code that takes part in contact.
    pub fn set_callback(&mut self, callback: Arc<dyn ContactCallback>) {
        self.callback = Some(callback);
    }

    /// A compliant law of the user's own, in place of the one that the settings compose.
    pub fn set_user_law(&mut self, law: Arc<dyn CompliantLaw>) {
        self.user_law = Some(law);
    }

    /// The law of the user's own, if there is one.
    #[inline]
    pub(crate) fn user_law(&self) -> Option<&dyn CompliantLaw> {
        self.user_law.as_deref()
    }

    /// The proxies.
    pub fn proxies(&self) -> &[Proxy] {
        &self.proxies
    }

    /// Whether nothing can touch.
    pub fn is_empty(&self) -> bool {
        self.proxies.len() < 2
    }

    /// What the carrier of a proxy is called in messages.
    pub fn proxy_name(&self, proxy: u32) -> String {
        let proxy = proxy as usize;
        let at = self.sources.partition_point(|(_, first)| *first <= proxy);
        match at.checked_sub(1).map(|i| &self.sources[i]) {
            Some((source, first)) => source.proxy_name(proxy - first),
            None => format!("proxy {proxy}"),
        }
    }

    /// Whether the filters let two proxies touch.
    #[inline]
    pub fn may_touch(&self, a: u32, b: u32) -> bool {
        let (pa, pb) = (&self.proxies[a as usize], &self.proxies[b as usize]);
        if pa.frame == pb.frame
            || (pa.family != 0 && pa.family == pb.family)
            || pa.group & pb.mask == 0
            || pb.group & pa.mask == 0
        {
            return false;
        }
        if !self.exclusions.is_empty() {
            let key = [pa.frame.min(pb.frame), pa.frame.max(pb.frame)];
            if self.exclusions.binary_search(&key).is_ok() {
                return false;
            }
        }
        self.callback.as_ref().is_none_or(|c| c.keep(a, b))
    }
}
