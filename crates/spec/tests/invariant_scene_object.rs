//! Every kind of mark, in one object that has them all: what visitors see and what placement does.

use std::collections::BTreeSet;
use std::f64::consts::FRAC_PI_2;
use std::path::PathBuf;

use glam::{DQuat, DVec3};
use huygens_spec::{FrameSpec, KeyPath, Placement, Rotation, SceneObject, Section, Visitor, VisitorMut};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, SceneObject)]
#[scene(place_with = Self::place_height)]
#[serde(default)]
struct Complete {
    #[scene(name)]
    name: String,
    #[scene(refers(Bodies, Structures))]
    a: String,
    #[scene(refers(Materials))]
    materials: Option<[String; 2]>,
    #[scene(refers(any))]
    many: Vec<String>,
    #[scene(file = found)]
    file: Option<String>,
    #[serde(skip)]
    found: Option<PathBuf>,
    #[scene(point)]
    position: [f64; 3],
    #[scene(point)]
    positions: Option<Vec<[[f64; 3]; 2]>>,
    #[scene(point, carried_by(a))]
    point_a: [f64; 3],
    #[scene(vector)]
    velocity: [f64; 3],
    #[scene(vector, when = file.is_some())]
    wind: [f64; 3],
    #[scene(rotation = world)]
    rotation: Option<Rotation>,
    #[scene(rotation)]
    turned: Option<Rotation>,
    #[scene(frame = world)]
    frame: Option<FrameSpec>,
    #[scene(frame, carried_by(a))]
    frame_a: Option<FrameSpec>,
    #[scene(placed)]
    lift: [f64; 3],
    #[scene(local)]
    size: [f64; 3],
    #[scene(text)]
    color: Option<String>,
    #[serde(rename = "type")]
    kind: Kind,
    parts: Vec<Part>,
    #[serde(flatten)]
    flat: Part2,
    count: [u32; 3],
}

impl Complete {
    fn place_height(&mut self, placement: &Placement) -> Result<(), String> {
        match self.count {
            [9, ..] => Err("stands still".into()),
            _ => {
                self.lift[2] += placement.position.z;
                Ok(())
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, SceneObject)]
enum Kind {
    #[default]
    Plain,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SceneObject)]
#[serde(rename_all = "snake_case")]
enum Part {
    ShaftName(#[scene(refers(Shafts))] String),
    Fields {
        #[scene(refers(Joints))]
        joint: String,
        #[scene(point)]
        at: [f64; 3],
    },
    Inner(Part2),
    Nothing,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, SceneObject)]
#[scene(carried_by(body))]
struct Part2 {
    #[scene(refers(Bodies))]
    body: Option<String>,
    #[scene(vector)]
    axis: [f64; 3],
}

fn complete() -> Complete {
    let part = |body: Option<&str>| Part2 { body: body.map(str::to_owned), axis: [1.0, 0.0, 0.0] };
    Complete {
        name: "whole".into(),
        a: "arm/tip".into(),
        materials: Some(["steel".into(), "ice".into()]),
        many: vec!["water".into()],
        file: Some("a.obj".into()),
        position: [1.0, 0.0, 0.0],
        positions: Some(vec![[[1.0, 0.0, 0.0]; 2]]),
        point_a: [1.0, 0.0, 0.0],
        velocity: [1.0, 0.0, 0.0],
        wind: [1.0, 0.0, 0.0],
        frame_a: Some(FrameSpec::at([1.0, 0.0, 0.0])),
        size: [1.0, 2.0, 3.0],
        color: Some("red".into()),
        parts: vec![
            Part::ShaftName("axle".into()),
            Part::Nothing,
            Part::Fields { joint: "hinge".into(), at: [1.0, 0.0, 0.0] },
            Part::Inner(part(Some("wheel"))),
        ],
        flat: part(Some("ground")),
        ..Complete::default()
    }
}

#[derive(Default)]
struct Seen(BTreeSet<(String, String, Option<Vec<Section>>)>);

impl Visitor for Seen {
    fn name(&mut self, path: &KeyPath<'_>, name: &str) {
        self.0.insert((path.to_string(), name.into(), None));
    }
    fn reference(&mut self, path: &KeyPath<'_>, name: &str, sections: &'static [Section]) {
        self.0.insert((path.to_string(), name.into(), Some(sections.to_vec())));
    }
}

#[test]
fn visitors_see_every_name_reference_and_file_with_its_keys() {
    use Section as S;
    let mut seen = Seen::default();
    complete().visit(&KeyPath::OBJECT, &mut seen);
    let expected = [
        ("name", "whole", None),
        ("a", "arm/tip", Some(vec![S::Bodies, S::Structures])),
        ("materials.0", "steel", Some(vec![S::Materials])),
        ("materials.1", "ice", Some(vec![S::Materials])),
        ("many.0", "water", Some(S::LISTS.to_vec())),
        ("parts.0.shaft_name", "axle", Some(vec![S::Shafts])),
        ("parts.2.fields.joint", "hinge", Some(vec![S::Joints])),
        ("parts.3.inner.body", "wheel", Some(vec![S::Bodies])),
        ("body", "ground", Some(vec![S::Bodies])),
    ];
    let expected = expected.map(|(path, name, sections)| (path.to_owned(), name.to_owned(), sections));
    assert_eq!(seen.0, BTreeSet::from(expected));

    struct Change(Vec<String>);
    impl VisitorMut for Change {
        fn name(&mut self, _: &KeyPath<'_>, name: &mut String) {
            name.insert_str(0, "x.");
        }
        fn reference(&mut self, _: &KeyPath<'_>, name: &mut String, _: &'static [Section]) {
            name.insert_str(0, "x.");
        }
        fn file(&mut self, path: &KeyPath<'_>, file: &str, found: &mut Option<PathBuf>) {
            self.0.push(format!("{path} {file}"));
            *found = Some("/there/a.obj".into());
        }
    }
    let (mut object, mut change) = (complete(), Change(Vec::new()));
    object.visit_mut(&KeyPath::OBJECT, &mut change);
    assert_eq!(change.0, ["file a.obj"]);
    assert_eq!(object.found, Some("/there/a.obj".into()));
    let mut changed = Seen::default();
    object.visit(&KeyPath::OBJECT, &mut changed);
    let prefixed = seen.0.into_iter().map(|(path, name, sections)| (path, format!("x.{name}"), sections));
    assert_eq!(changed.0, prefixed.collect());
    assert_eq!((object.name().as_ref(), object.color.as_deref()), ("x.whole", Some("red")));
}

#[test]
fn placement_moves_points_turns_vectors_and_leaves_what_is_carried() {
    // A quarter turn about z, then up by 5: x becomes y.
    let turn = DQuat::from_rotation_z(FRAC_PI_2);
    let placement = Placement::new(DVec3::new(0.0, 0.0, 5.0), turn);
    let near = |v: [f64; 3], expected: [f64; 3]| {
        assert!((DVec3::from_array(v) - DVec3::from_array(expected)).length() < 1e-12, "{v:?} {expected:?}");
    };
    let (point, vector, kept) = ([0.0, 1.0, 5.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]);
    let mut object = complete();
    object.place(&placement).unwrap();
    near(object.position, point);
    object.positions.iter().flatten().flatten().for_each(|p| near(*p, point));
    near(object.velocity, vector);
    near(object.wind, vector);
    // The arm carries these.
    near(object.point_a, kept);
    assert_eq!(object.frame_a, Some(FrameSpec::at(kept)));
    // Absent is the world, or nothing.
    assert_eq!(object.rotation, Some(Rotation(turn)));
    assert_eq!(object.turned, None);
    let frame = object.frame.unwrap();
    near(frame.position, [0.0, 0.0, 5.0]);
    assert_eq!(frame.rotation, Some(Rotation(turn)));
    near(object.lift, [0.0, 0.0, 5.0]);
    assert_eq!(object.size, [1.0, 2.0, 3.0]);
    let [_, _, Part::Fields { at, .. }, Part::Inner(inner)] = &object.parts[..] else { panic!("{object:?}") };
    near(*at, point);
    near(inner.axis, kept);
    near(object.flat.axis, vector);

    let mut free = Complete { a: "ground".into(), file: None, ..complete() };
    free.place(&placement).unwrap();
    near(free.point_a, point);
    near(free.frame_a.unwrap().position, point);
    near(free.wind, kept);
    let mut at_rest = complete();
    at_rest.place(&placement.clone().with_resting(["arm".to_owned()])).unwrap();
    near(at_rest.point_a, point);
    let mut refused = Complete { count: [9, 0, 0], ..complete() };
    assert_eq!(refused.place(&placement), Err("stands still".into()));
}

#[test]
fn sections_are_built_after_what_they_refer_to() {
    let order = Section::in_building_order();
    let place = |section| order.iter().position(|s| *s == section).unwrap();
    for (first, then) in [
        (Section::Materials, Section::Bodies),
        (Section::Bodies, Section::Joints),
        (Section::Joints, Section::Motors),
        (Section::Shafts, Section::Forces),
        (Section::Structures, Section::Grains),
        (Section::Structures, Section::Fluids),
        (Section::Fluids, Section::Probes),
    ] {
        assert!(place(first) < place(then), "{first} {then}");
    }
    let mut sorted = order;
    sorted.sort();
    assert_eq!(sorted, Section::LISTS);
    Section::LISTS.into_iter().for_each(|s| assert_eq!(Section::of_noun(s.noun()), Some(s)));
}
