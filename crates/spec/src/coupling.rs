//! Couplings: gears, racks, belts and other linear relations of coordinates.

use huygens_spec::{SceneObject, Tagged};

/// A relation of joint coordinates and shaft angles.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "coupling")]
pub enum CouplingSpec {
    /// Pair of spur or helical gears.
    Gear(GearSpec),
    /// Pair of bevel gears.
    BevelGear(BevelGearSpec),
    /// Rack and pinion.
    RackPinion(RackPinionSpec),
    /// Belt or chain over two pulleys.
    Belt(BeltSpec),
    /// Gear between two shafts.
    ShaftGear(ShaftGearSpec),
    /// Shaft that turns or moves a joint coordinate.
    ShaftJoint(ShaftJointSpec),
    /// Any weighted sum of coordinates that keeps its value at the start.
    Linear(LinearCouplingSpec),
}

/// Pair of spur or helical gears on two revolute joints with parallel axes: $r_a\theta_a \pm r_b\theta_b$ stays.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "gear pair")]
pub struct GearSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// Joint the first gear turns on.
    #[scene(refers(Joints))]
    pub joint_a: String,
    /// Joint the second gear turns on.
    #[scene(refers(Joints))]
    pub joint_b: String,
    /// Pitch radius of the first gear [m]; with `radius_b` the tooth forces act at the pitch point.
    pub radius_a: Option<f64>,
    /// Pitch radius of the second gear [m].
    pub radius_b: Option<f64>,
    /// Teeth of the first gear; with `teeth_b` instead of radii.
    pub teeth_a: Option<u32>,
    /// Teeth of the second gear.
    pub teeth_b: Option<u32>,
    /// Speed of the first gear over speed of the second; instead of radii or teeth.
    pub ratio: Option<f64>,
    /// Whether one gear is internal, so that both turn in the same direction.
    #[tagged(default)]
    pub internal: bool,
    /// Pressure angle [°] of the tooth force, for gears with radii.
    #[tagged(default = pressure_angle)]
    pub pressure_angle_deg: f64,
    /// Helix angle [°], for gears with radii.
    #[tagged(default)]
    pub helix_angle_deg: f64,
}

impl Default for GearSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            joint_a: String::new(),
            joint_b: String::new(),
            radius_a: None,
            radius_b: None,
            teeth_a: None,
            teeth_b: None,
            ratio: None,
            internal: false,
            pressure_angle_deg: pressure_angle(),
            helix_angle_deg: 0.0,
        }
    }
}

fn pressure_angle() -> f64 {
    20.0
}

/// Pair of bevel gears on two revolute joints: $r_a\theta_a + r_b\theta_b$ stays.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "pair of bevel gears")]
pub struct BevelGearSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// Joint the first gear turns on.
    #[scene(refers(Joints))]
    pub joint_a: String,
    /// Joint the second gear turns on.
    #[scene(refers(Joints))]
    pub joint_b: String,
    /// Speed of the first gear over speed of the second: teeth of the second over teeth of the first.
    pub ratio: f64,
    /// Whether both angles grow together instead of against each other.
    #[tagged(default)]
    pub reverse: bool,
}

/// Rack and pinion: displacement less radius times angle stays.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "rack and pinion")]
pub struct RackPinionSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// Joint the pinion turns on.
    #[scene(refers(Joints))]
    pub pinion: String,
    /// Joint the rack slides on.
    #[scene(refers(Joints))]
    pub rack: String,
    /// Pitch radius of the pinion [m].
    pub radius: f64,
    /// Whether a growing angle makes the displacement smaller.
    #[tagged(default)]
    pub reverse: bool,
}

/// Belt or chain over two pulleys: $r_a\theta_a - r_b\theta_b$ stays.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "belt")]
pub struct BeltSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// Joint the first pulley turns on.
    #[scene(refers(Joints))]
    pub joint_a: String,
    /// Joint the second pulley turns on.
    #[scene(refers(Joints))]
    pub joint_b: String,
    /// Radius of the first pulley [m].
    pub radius_a: f64,
    /// Radius of the second pulley [m].
    pub radius_b: f64,
    /// Whether the belt is crossed, so that the pulleys turn against each other.
    #[tagged(default)]
    pub crossed: bool,
}

/// Gear between two shafts: $\theta_a - i\,\theta_b$ stays.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "gear")]
pub struct ShaftGearSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// First shaft.
    #[scene(refers(Shafts))]
    pub shaft_a: String,
    /// Second shaft.
    #[scene(refers(Shafts))]
    pub shaft_b: String,
    /// Speed of the first shaft over speed of the second; negative if they turn against each other.
    pub ratio: f64,
}

/// Shaft that turns or moves a joint coordinate: $\theta - i\,\xi$ stays.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "shaft coupling")]
pub struct ShaftJointSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// The shaft.
    #[scene(refers(Shafts))]
    pub shaft: String,
    /// The joint.
    #[scene(refers(Joints))]
    pub joint: String,
    /// Coordinate of the joint. Default: the first one.
    #[scene(text)]
    pub coordinate: Option<String>,
    /// Speed of the shaft over rate of the coordinate [1, or rad/m].
    #[tagged(default = one)]
    pub ratio: f64,
}

impl Default for ShaftJointSpec {
    fn default() -> Self {
        let (name, shaft, joint) = Default::default();
        Self { name, shaft, joint, coordinate: None, ratio: one() }
    }
}

/// A weighted sum of coordinates that keeps its value at the start.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "linear coupling")]
pub struct LinearCouplingSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// The coordinates and their weights.
    pub terms: Vec<LinearTerm>,
}

/// One weighted coordinate.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "term")]
pub struct LinearTerm {
    /// The joint.
    #[scene(refers(Joints))]
    pub joint: Option<String>,
    /// Coordinate of the joint. Default: the first one.
    #[scene(text)]
    pub coordinate: Option<String>,
    /// The shaft; instead of `joint`.
    #[scene(refers(Shafts))]
    pub shaft: Option<String>,
    /// Weight.
    #[tagged(default = one)]
    pub weight: f64,
}

impl Default for LinearTerm {
    fn default() -> Self {
        Self { joint: None, coordinate: None, shaft: None, weight: one() }
    }
}

fn one() -> f64 {
    1.0
}
