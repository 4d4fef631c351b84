//! Collision set-up: materials, shapes on bodies, and excluded pairs.

use std::sync::Arc;

use huygens_core::Id;
use huygens_core::Subject;
use huygens_core::builder::{ContactSetup, FrameKey, MaterialNumbers, PartContact, Places};
use huygens_core::contact::{
    Composite, ContactCallback, ContactMaterial, ContactSettings, Material, Proxy, ProxySource,
};
use huygens_geometry::{Pose, Shape};

use crate::assembly::{Assembly, BodyId};
use crate::error::{MultibodyError, Result};
use crate::joint::Carrier;

/// A named contact material.
#[derive(Clone, Debug)]
pub struct NamedMaterial {
    /// Unique name.
    pub name: String,
    /// Its parameters.
    pub material: Material,
}

/// Handle of a contact material.
pub type MaterialId = Id<NamedMaterial>;

/// A collision shape of a body.
#[derive(Clone, Debug)]
pub struct CollisionShape {
    /// The body that carries it.
    pub body: BodyId,
    /// The shape; the parts of a compound collide individually.
    pub shape: Shape,
    /// Pose of the shape in the body frame.
    pub pose: Pose,
    /// Its contact material.
    pub material: MaterialId,
    /// Groups that it belongs to, as a bit mask.
    pub group: u32,
    /// Groups that it collides with, as a bit mask.
    pub mask: u32,
}

/// The contact set-up of an [`Assembly`].
#[derive(Clone, Default)]
pub struct Collision {
    /// How contacts are found and resolved.
    pub settings: ContactSettings,
    /// Pairs of bodies excluded from contact.
    pub exclusions: Vec<(BodyId, BodyId)>,
    /// Pairs of bodies that collide although a joint connects them.
    pub inclusions: Vec<(BodyId, BodyId)>,
    /// Properties of material pairs that override the combination rule.
    pub composites: Vec<(MaterialId, MaterialId, Composite)>,
    /// User callbacks; proxies are numbered in the order of shapes and their parts.
    pub callback: Option<Arc<dyn ContactCallback>>,
    pub(crate) shapes: Vec<CollisionShape>,
}

impl std::fmt::Debug for Collision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collision")
            .field("settings", &self.settings)
            .field("shapes", &self.shapes.len())
            .finish_non_exhaustive()
    }
}

impl Collision {
    /// The shapes, in the order in which they were added.
    pub fn shapes(&self) -> &[CollisionShape] {
        &self.shapes
    }
}

impl Assembly {
    /// Adds a contact material.
    pub fn add_material(&mut self, material: NamedMaterial) -> Result<MaterialId> {
        material.material.check().map_err(|(_, problem)| MultibodyError::Mismatch {
            what: Subject::object("material", &material.name),
            reason: problem,
        })?;
        self.insert_material(material)
    }

    /// Adds a collision shape to a body.
    pub fn add_shape(&mut self, shape: CollisionShape) -> Result<()> {
        let missing = |kind| MultibodyError::Missing { what: "a collision shape".into(), kind };
        self.body(shape.body).ok_or_else(|| missing("body"))?;
        self.material(shape.material).ok_or_else(|| missing("material"))?;
        self.collision.shapes.push(shape);
        Ok(())
    }
}

/// The proxies of all bodies.
struct BodyProxies {
    proxies: Vec<Proxy>,
    names: Vec<String>,
    /// Index in `names` of each proxy's body.
    body: Vec<u32>,
}

impl ProxySource for BodyProxies {
    fn proxies(&self) -> Vec<Proxy> {
        self.proxies.clone()
    }
    fn proxy_name(&self, proxy: usize) -> String {
        self.body
            .get(proxy)
            .map_or(format!("shape {proxy}"), |&b| format!("body '{}'", self.names[b as usize]))
    }
}

impl Assembly {
    /// Settings, materials and properties of material pairs for the model builder, which identifies materials by arena
    /// index.
    pub fn contact_setup(&self) -> ContactSetup {
        let collision = &self.collision;
        let named = |m: &NamedMaterial| ContactMaterial { name: m.name.clone(), material: m.material };
        let composites = collision.composites.iter();
        ContactSetup {
            settings: collision.settings,
            materials: self.materials().iter().map(|(id, m)| (id.index() as u32, named(m))).collect(),
            composites: composites
                .map(|(a, b, composite)| ([a.index() as u32, b.index() as u32], *composite))
                .collect(),
            callback: collision.callback.clone(),
            ..ContactSetup::default()
        }
    }
}

/// What bodies contribute to contact; `frame` returns the frame of a body by its arena index.
pub(crate) fn body_contact(
    assembly: &Assembly,
    frame: &[u32],
    places: &Places<'_>,
    materials: &MaterialNumbers,
) -> Result<Option<PartContact>> {
    let collision = &assembly.collision;
    if collision.shapes.is_empty() {
        return Ok(None);
    }
    let missing = |kind| MultibodyError::Missing { what: "a collision shape".into(), kind };
    let mut source = BodyProxies { proxies: Vec::new(), names: Vec::new(), body: Vec::new() };
    let mut last = None;
    for shape in &collision.shapes {
        let body = assembly.body(shape.body).ok_or_else(|| missing("body"))?;
        if last != Some(shape.body) {
            source.names.push(body.name.clone());
            last = Some(shape.body);
        }
        assembly.material(shape.material).ok_or_else(|| missing("material"))?;
        let material = materials.number(&"a collision shape".into(), shape.material.index() as u32)?;
        // Frames sit at centres of mass.
        let to_frame = Pose { position: -body.center_of_mass, ..Pose::IDENTITY } * shape.pose;
        for (pose, part) in shape.shape.parts() {
            source.body.push(source.names.len() as u32 - 1);
            source.proxies.push(Proxy {
                shape: part.clone(),
                pose: to_frame * pose,
                frame: frame[shape.body.index()],
                material,
                group: shape.group,
                mask: shape.mask,
                family: 0,
            });
        }
    }
    let pair = |a: BodyId, b: BodyId| {
        let (a, b) = (frame[a.index()], frame[b.index()]);
        [a.min(b), a.max(b)]
    };
    let kept: Vec<[u32; 2]> = collision.inclusions.iter().map(|&(a, b)| pair(a, b)).collect();
    let jointed =
        assembly.joints().iter().filter_map(|(_, j)| Some(pair(j.a.carrier.body()?, j.b.carrier.body()?)));
    let excluded = collision.exclusions.iter().map(|&(a, b)| pair(a, b));
    let held = assembly.joints().iter().flat_map(|(_, j)| {
        let (body, key) = match (j.a.carrier, j.b.carrier) {
            (Carrier::Body(body), Carrier::External(key)) | (Carrier::External(key), Carrier::Body(body)) => {
                (frame[body.index()], key)
            }
            _ => return Vec::new(),
        };
        let pieces = places.contact_frames(FrameKey::node(key)).into_iter();
        pieces.map(|piece| [body, piece]).collect()
    });
    let exclusions = jointed.filter(|p| !kept.contains(p)).chain(excluded).chain(held).collect();
    Ok(Some(PartContact { source: Arc::new(source), exclusions }))
}
