//! Functions and curves as written in scene files.

use huygens_core::function::{Curve3, Function};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Scene {
    functions: Vec<Function>,
}

const SCENE: &str = r#"
functions = [
    2,
    -0.5,
    { type = "constant", value = 1 },
    { type = "ramp", slope = 2 },
    { type = "ramp", start_value = 1, slope = 2, start_time = 0.5, end_time = 3 },
    { type = "polynomial", coefficients = [1, 0, 0.5] },
    { type = "sine", amplitude = 2, frequency = 1.5 },
    { type = "step_cycloidal", from = 0, to = 1, start = 0, duration = 2 },
    { type = "step_poly345", from = 0, to = 1, start = 0, duration = 2 },
    { type = "table", times = [0, 1, 2], values = [0, 1, 0], interpolation = "akima", extrapolation = "periodic" },
    { type = "sum", terms = [1, { type = "product", factors = [2, { type = "ramp", slope = 1 }] }] },
    { type = "composition", outer = { type = "sine", amplitude = 1, frequency = 1 }, inner = { type = "ramp", slope = 3 } },
]
"#;

#[test]
fn toml_and_json_give_the_same_functions() {
    let scene: Scene = toml::from_str(SCENE).unwrap();
    assert_eq!(scene.functions[0], Function::constant(2.0));
    assert_eq!(scene.functions[1], Function::constant(-0.5));
    assert_eq!(scene.functions[10].value(4.0), 9.0);
    assert_eq!(toml::from_str::<Scene>(&toml::to_string(&scene).unwrap()).unwrap(), scene);
    let json = serde_json::to_string(&scene).unwrap();
    assert_eq!(serde_json::from_str::<Scene>(&json).unwrap(), scene);
}

fn message(json: &str) -> String {
    serde_json::from_str::<Function>(json).unwrap_err().to_string()
}

#[test]
fn mistakes_are_named() {
    for (json, expected) in [
        (r#""fast""#, "a number or a function such as"),
        (r#"{ "type": "sinus", "amplitude": 1 }"#, "unknown variant `sinus`"),
        (r#"{ "amplitude": 1 }"#, "missing field `type`"),
        (r#"{ "type": "sine", "amplitude": 1, "frequency": 1, "phse": 0 }"#, "unknown field `phse`"),
        (r#"{ "type": "sine", "amplitude": 1 }"#, "missing field `frequency`"),
        (r#"{ "type": "table", "times": [0, 1], "values": [0, 1], "smooth": 1 }"#, "unknown field `smooth`"),
        (r#"{ "type": "table", "times": [0, 1, 1], "values": [0, 1, 2] }"#, "entry 2 is 1"),
        (
            r#"{ "type": "sum", "terms": [{ "type": "polynomial", "coefficients": [] }] }"#,
            "must not be empty",
        ),
        (r#"{ "type": "custom" }"#, "unknown variant `custom`"),
    ] {
        let got = message(json);
        assert!(got.contains(expected), "{json}: {got}");
    }
    let infinite = toml::from_str::<Scene>("functions = [inf]").unwrap_err().to_string();
    assert!(infinite.contains("finite"), "{infinite}");
}

#[test]
fn closures_are_not_written() {
    assert!(serde_json::to_string(&Function::custom("mine", |t| t)).is_err());
}

#[test]
fn schema_allows_a_number_or_an_object() {
    let schema = serde_json::to_value(schemars::schema_for!(Function)).unwrap();
    let kinds = schema["oneOf"].as_array().unwrap();
    assert_eq!(kinds[0]["type"], "number");
    let names: Vec<_> =
        kinds[1..].iter().map(|k| k["properties"]["type"]["const"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "constant",
            "ramp",
            "polynomial",
            "sine",
            "step_cycloidal",
            "step_poly345",
            "table",
            "sum",
            "product",
            "composition"
        ]
    );
    let table = &kinds[1 + names.iter().position(|&n| n == "table").unwrap()];
    assert!(table["properties"]["times"].is_object(), "{table}");
    assert_eq!(table["additionalProperties"], false);
    assert_eq!(schema["title"], "Function");
}

#[test]
fn curves_are_read_and_checked() {
    let curve: Curve3 = toml::from_str("points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]\nclosed = true").unwrap();
    assert!(curve.is_closed());
    let json = serde_json::to_string(&curve).unwrap();
    assert_eq!(serde_json::from_str::<Curve3>(&json).unwrap(), curve);
    let repeated = toml::from_str::<Curve3>("points = [[0, 0, 0], [0, 0, 0]]").unwrap_err().to_string();
    assert!(repeated.contains("point 1 of the curve coincides"), "{repeated}");
}
