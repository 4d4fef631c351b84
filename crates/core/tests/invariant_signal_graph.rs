//! Wiring: order, loops, names, memoryless blocks.

use huygens_core::function::{Extrapolation, Function, Interpolation};
use huygens_core::signal::{
    LookupSpec, PidSpec, SignalError, SignalGraph, SignalGraphBuilder, SignalSpec, TransferFunctionSpec,
    UserOde,
};
use serde::{Deserialize, Serialize};

fn gain(input: &str, gain: f64) -> SignalSpec<usize> {
    SignalSpec::Gain { input: input.into(), gain, offset: 0.0 }
}

fn filter(input: &str) -> SignalSpec<usize> {
    SignalSpec::Filter { input: input.into(), time_constant: 0.5, initial: 3.0 }
}

fn sum(inputs: &[&str], weights: Option<Vec<f64>>) -> SignalSpec<usize> {
    SignalSpec::Sum { inputs: inputs.iter().map(|&i| i.into()).collect(), weights, offset: 0.0 }
}

fn evaluated(graph: &SignalGraph, time: f64, sensors: &[f64]) -> Vec<f64> {
    let mut z = vec![0.0; graph.state_count()];
    graph.initialize_states(&mut z);
    // Stale numbers in the output must not matter.
    let mut out = vec![f64::NAN; graph.len()];
    graph.evaluate(time, |sensor| sensors[sensor], &z, &mut out);
    graph.check_finite(time, &out, &z).unwrap();
    out
}

#[test]
fn memoryless_blocks_compute_their_laws_in_any_order_of_declaration() {
    let mut builder = SignalGraphBuilder::new();
    builder
        .add("limited", SignalSpec::Saturation { input: "total".into(), lower: Some(-1.0), upper: Some(4.0) })
        .unwrap();
    builder.add("total", sum(&["angle", "ramp", "angle"], Some(vec![2.0, -1.0, 0.5]))).unwrap();
    builder.add_user("user", &["total", "speed"], |t, u| t + u[0] * u[1] + u.len() as f64).unwrap();
    builder.add("product", SignalSpec::Product { inputs: vec!["angle".into(), "speed".into()] }).unwrap();
    builder
        .add(
            "cubed",
            SignalSpec::Function {
                function: Function::Polynomial { coefficients: vec![0.0, 0.0, 0.0, 1.0] },
                input: Some("speed".into()),
            },
        )
        .unwrap();
    builder.add_sensor("speed", 1).unwrap();
    builder.add_sensor("angle", 0).unwrap();
    builder
        .add_function(
            "ramp",
            Function::Ramp { start_value: 0.0, slope: 10.0, start_time: 0.0, end_time: None },
        )
        .unwrap();
    let graph = builder.build().unwrap();
    assert_eq!(graph.sensor_count(), 2);
    let out = evaluated(&graph, 0.1, &[3.0, -2.0]);
    let value = |name: &str| out[graph.signal(name).unwrap().index()];
    assert_eq!(value("total"), 6.5);
    assert_eq!(value("limited"), 4.0);
    assert_eq!(value("user"), 0.1 + 6.5 * -2.0 + 2.0);
    assert_eq!(value("product"), -6.0);
    assert_eq!(value("cubed"), -8.0);
}

#[test]
fn lookup_interpolates_another_signal() {
    for (interpolation, expected) in [(Interpolation::Linear, 0.5), (Interpolation::Cubic, 0.6875)] {
        let mut builder = SignalGraphBuilder::new();
        builder.add_sensor("x", 0).unwrap();
        builder
            .add(
                "y",
                SignalSpec::Lookup(LookupSpec {
                    input: "x".into(),
                    abscissae: vec![0.0, 1.0, 2.0],
                    values: vec![0.0, 1.0, 0.0],
                    interpolation,
                    extrapolation: Extrapolation::Hold,
                }),
            )
            .unwrap();
        let graph = builder.build().unwrap();
        assert_eq!(evaluated(&graph, 0.0, &[0.5])[1], expected);
        assert_eq!(evaluated(&graph, 0.0, &[7.0])[1], 0.0);
    }
}

#[test]
fn algebraic_loop_is_reported_in_order() {
    let mut builder = SignalGraphBuilder::new();
    builder.add_sensor("free", 0).unwrap();
    builder.add("after", gain("c", 1.0)).unwrap();
    builder.add("a", sum(&["free", "c"], None)).unwrap();
    builder.add("b", gain("a", 2.0)).unwrap();
    builder.add("c", gain("b", 2.0)).unwrap();
    let error = builder.build().unwrap_err();
    let SignalError::AlgebraicLoop { signals } = &error else { panic!("{error}") };
    let mut rotated = signals.clone();
    let first = rotated.iter().position(|name| name == "a").unwrap();
    rotated.rotate_left(first);
    assert_eq!(rotated, ["a", "b", "c"]);
    assert!(error.to_string().starts_with("algebraic loop: '"), "{error}");

    let mut alone = SignalGraphBuilder::new();
    alone.add("self", gain("self", 0.5)).unwrap();
    assert_eq!(alone.build().unwrap_err(), SignalError::AlgebraicLoop { signals: vec!["self".into()] });
}

#[test]
fn blocks_with_memory_break_loops_and_direct_ones_do_not() {
    let closed_by = |block: SignalSpec<usize>| {
        let mut builder = SignalGraphBuilder::new();
        builder.add("a", gain("b", 2.0)).unwrap();
        builder.add("b", block).unwrap();
        builder.build()
    };
    let transfer = |numerator: Vec<f64>| {
        let system = TransferFunctionSpec { input: "a".into(), numerator, denominator: vec![1.0, 1.0] };
        SignalSpec::TransferFunction(system)
    };
    let graph = closed_by(filter("a")).unwrap();
    assert_eq!(evaluated(&graph, 0.0, &[]), [6.0, 3.0]);
    assert!(closed_by(transfer(vec![1.0])).is_ok());
    assert!(closed_by(transfer(vec![1.0, 0.0])).is_err());
    assert!(closed_by(SignalSpec::Pid(PidSpec::new("a", "a", 1.0))).is_err());
    assert!(closed_by(SignalSpec::Pid(PidSpec { ki: 1.0, ..PidSpec::new("a", "a", 0.0) })).is_ok());
}

#[test]
fn states_of_a_block_are_signals_too() {
    let mut builder = SignalGraphBuilder::new();
    builder.add("second", SignalSpec::State { block: "ode".into(), index: 1 }).unwrap();
    builder.add("lag", filter("second")).unwrap();
    let ode = UserOde::new(vec![5.0, 7.0], |_, _, z, zdot| {
        zdot[0] = z[1];
        zdot[1] = -z[0];
    });
    builder.add_user_ode("ode", &[], ode.with_output(|_, z| z[0] + z[1])).unwrap();
    let graph = builder.build().unwrap();
    let out = evaluated(&graph, 0.0, &[]);
    assert_eq!(out, [7.0, 3.0, 12.0]);
    assert_eq!(graph.states(graph.signal("ode").unwrap()), 1..3);
    let (z, mut zdot) = ([3.0, 5.0, 7.0], [0.0; 3]);
    graph.rates(0.0, &out, &z, &mut zdot);
    assert_eq!(zdot, [(7.0 - 3.0) / 0.5, 7.0, -5.0]);
}

#[test]
fn unknown_names_come_with_a_suggestion() {
    let mut builder = SignalGraphBuilder::new();
    builder.add_sensor("crank_angle", 0).unwrap();
    builder.add("scaled", gain("crnak_angle", 1.0)).unwrap();
    assert_eq!(
        builder.build().unwrap_err().to_string(),
        "signal 'scaled' reads 'crnak_angle', which does not exist; did you mean 'crank_angle'?"
    );
    let mut builder = SignalGraphBuilder::new();
    builder.add_sensor("speed", 0).unwrap();
    assert!(matches!(builder.add_sensor("speed", 1), Err(SignalError::DuplicateName { .. })));
    let graph = builder.build().unwrap();
    let suggestion = |name: &str| match graph.signal(name) {
        Err(SignalError::Unknown { suggestion, .. }) => suggestion,
        other => panic!("{other:?}"),
    };
    assert_eq!(suggestion("Speed").as_deref(), Some("speed"));
    assert_eq!(suggestion("torque"), None);
}

#[test]
fn wrong_parameters_name_the_signal() {
    let refused = |spec| SignalGraphBuilder::new().add("wrong", spec).unwrap_err().to_string();
    let transfer = |numerator: &[f64], denominator: &[f64]| {
        refused(SignalSpec::TransferFunction(TransferFunctionSpec {
            input: "a".into(),
            numerator: numerator.to_vec(),
            denominator: denominator.to_vec(),
        }))
    };
    for (message, expected) in [
        (transfer(&[1.0, 0.0, 0.0], &[0.0, 1.0, 1.0]), "numerator of degree 2, denominator of degree 1"),
        (transfer(&[1.0], &[0.0, 0.0]), "denominator of the transfer function is zero"),
        (transfer(&[], &[1.0]), "`numerator` needs 1 entries, 0 given"),
        (transfer(&[1.0], &[1.0, f64::NAN]), "`denominator` is NaN"),
        (refused(gain("a", f64::INFINITY)), "`gain` is inf"),
        (refused(sum(&["a"], Some(vec![1.0, 2.0]))), "`weights` needs 1 entries, 2 given"),
        (refused(sum(&[], None)), "at least one input"),
        (
            refused(SignalSpec::Filter { input: "a".into(), time_constant: 0.0, initial: 0.0 }),
            "`time_constant` is 0",
        ),
        (
            refused(SignalSpec::Saturation { input: "a".into(), lower: Some(1.0), upper: Some(1.0) }),
            "lower limit 1 must be below upper limit 1",
        ),
        (refused(SignalSpec::Pid(PidSpec { kd: 1.0, ..PidSpec::new("a", "b", 1.0) })), "`filter_time` is 0"),
        (
            refused(SignalSpec::Function { function: Function::constant(f64::NAN), input: None }),
            "`value` must be a finite number",
        ),
    ] {
        assert!(message.contains("'wrong'") && message.contains(expected), "{message}");
    }
    let mut builder = SignalGraphBuilder::new();
    builder.add("lag", filter("lag")).unwrap();
    builder.add("state", SignalSpec::State { block: "lag".into(), index: 1 }).unwrap();
    assert!(matches!(builder.build(), Err(SignalError::NoSuchState { index: 1, count: 1, .. })));
}

#[test]
fn non_finite_signals_are_named() {
    let mut builder = SignalGraphBuilder::new();
    builder.add_sensor("probe", 0).unwrap();
    let graph = builder.build().unwrap();
    let error = graph.check_finite(1.5, &[f64::NAN], &[]).unwrap_err();
    assert_eq!(error.to_string(), "signal 'probe' became NaN at time 1.5 s");
}

#[test]
fn graph_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<SignalGraph>();
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct JointAngle {
    joint: String,
}

#[test]
fn signals_are_read_from_a_scene() {
    let scene = r#"
        target = { type = "function", function = 1.5 }
        angle = { type = "sensor", sensor = { joint = "hinge" } }
        torque = { type = "pid", reference = "target", measurement = "angle", kp = 4, ki = 1, lower = -2, upper = 2, anti_windup = { type = "back_calculation", tracking_time = 0.5 } }
        plant = { type = "transfer_function", input = "torque", numerator = [1], denominator = [1, 2, 1] }
    "#;
    type Signals = std::collections::BTreeMap<String, SignalSpec<JointAngle>>;
    let signals: Signals = toml::from_str(scene).unwrap();
    let json = serde_json::to_string(&signals).unwrap();
    assert_eq!(serde_json::from_str::<Signals>(&json).unwrap(), signals);
    let mut sensors = Vec::new();
    let mut builder = SignalGraphBuilder::new();
    for (name, spec) in signals {
        let spec = spec.try_map_sensor(|sensor| {
            sensors.push(sensor);
            Ok::<_, SignalError>(sensors.len() - 1)
        });
        builder.add(name, spec.unwrap()).unwrap();
    }
    let graph = builder.build().unwrap();
    assert_eq!(sensors, [JointAngle { joint: "hinge".into() }]);
    assert_eq!((graph.len(), graph.state_count(), graph.sensor_count()), (4, 3, 1));
    assert_eq!(evaluated(&graph, 0.0, &[0.1])[graph.signal("torque").unwrap().index()], 2.0);

    let unknown = toml::from_str::<Signals>(r#"a = { type = "gain", input = "b", gain = 1, bias = 2 }"#);
    assert!(unknown.unwrap_err().to_string().contains("unknown field `bias`"));
    let schema = serde_json::to_value(schemars::schema_for!(SignalSpec<JointAngle>)).unwrap();
    assert_eq!(schema["oneOf"].as_array().unwrap().len(), 12);
}
