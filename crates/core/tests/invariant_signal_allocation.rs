//! Evaluating functions and signals allocates nothing.

use huygens_core::function::{Extrapolation, Function, Interpolation};
use huygens_core::signal::{PidSpec, SignalGraphBuilder, SignalSpec, TransferFunctionSpec, UserOde};
use huygens_test_support::allocation_count;

#[test]
fn evaluation_allocates_nothing() {
    let table = Function::table(
        vec![0.0, 1.0, 2.0, 3.0],
        vec![0.0, 1.0, 0.5, 0.0],
        Interpolation::Akima,
        Extrapolation::Periodic,
    );
    let sine = Function::Sine { amplitude: 1.0, frequency: 2.0, phase: 0.0, offset: 0.0 };
    let nested =
        Function::Product { factors: vec![table.unwrap(), sine.of(Function::custom("square", |t| t * t))] };
    let mut builder = SignalGraphBuilder::new();
    builder.add_function("reference", nested).unwrap();
    builder.add_sensor("angle", 0).unwrap();
    let control =
        PidSpec { ki: 1.0, kd: 0.1, filter_time: Some(0.01), ..PidSpec::new("reference", "angle", 2.0) };
    builder.add("control", SignalSpec::Pid(control)).unwrap();
    let system = TransferFunctionSpec {
        input: "control".into(),
        numerator: vec![1.0, 0.0],
        denominator: vec![1.0, 1.0, 1.0],
    };
    builder.add("plant", SignalSpec::TransferFunction(system)).unwrap();
    builder.add_user("mix", &["plant", "angle"], |t, u| t + u.iter().sum::<f64>()).unwrap();
    let ode = UserOde::new(vec![0.0], |_, u, z, zdot| zdot[0] = u[0] - z[0]);
    builder.add_user_ode("lag", &["mix"], ode).unwrap();
    let graph = builder.build().unwrap();
    let mut z = vec![0.0; graph.state_count()];
    let mut zdot = z.clone();
    let mut signals = vec![0.0; graph.len()];
    graph.initialize_states(&mut z);

    let before = allocation_count();
    for k in 0..100 {
        let time = 0.1 * f64::from(k);
        graph.evaluate(time, |_| 0.3, &z, &mut signals);
        graph.rates(time, &signals, &z, &mut zdot);
        graph.check_finite(time, &signals, &z).unwrap();
    }
    assert_eq!(allocation_count() - before, 0);
}
