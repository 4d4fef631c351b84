//! The list of cone solvers: names of settings, what they support, and one impact that each must solve.

use huygens_core::contact::{ConeMethod, operator_solvers};
use huygens_exec::Exec;
use huygens_solve::{
    BodyInverse, Cone, ConeProblem, FrictionLaw, InverseInertiaBlocks, InverseInertiaBodies, RowBlock,
    RowOperator, SOLVERS, SolverKind, SolverSettings, SparseRows,
};

#[test]
fn settings_name_the_solvers_that_there_are() {
    let names: Vec<_> = ConeMethod::ALL.iter().map(|method| method.name()).collect();
    let listed: Vec<_> = SOLVERS.iter().map(|kind| kind.name).collect();
    assert_eq!(names, listed);
    for method in ConeMethod::ALL {
        assert_eq!(method.name().parse(), Ok(*method));
        assert_eq!(serde_json::to_value(method).unwrap(), method.name());
        let kind = SolverKind::named(method.name()).unwrap();
        assert_eq!((kind.make)(&SolverSettings::default()).name(), method.name());
    }
    assert!("jacobi_of_old".parse::<ConeMethod>().unwrap_err().contains("apgd, psor"));
}

/// A body of 2 kg that falls on the ground with 3 m/s stops by an impulse of 6 N·s; one that rises is left alone.
#[test]
fn every_solver_stops_a_falling_body() {
    let body = BodyInverse { inverse_mass: 0.5, inverse_inertia: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] };
    let inverse = InverseInertiaBodies::new(vec![body]);
    let mut row = SparseRows::new(6);
    row.push([(2, 1.0)]);
    row.finish();
    for (speed, after, impulse) in [(-3.0, 0.0, 6.0), (1.0, 1.0, 0.0)] {
        let free_velocity = [0.25, 0.0, speed, 0.0, 0.0, 0.5];
        let problem = ConeProblem {
            inverse: &inverse,
            free_velocity: &free_velocity,
            bias: &[0.0],
            compliance: &[],
            rows: &[RowBlock::Sparse(&row)],
            cones: &[Cone::Nonnegative],
            friction: FrictionLaw::Relaxed,
        };
        for kind in SOLVERS {
            let mut solver =
                (kind.make)(&SolverSettings { max_iterations: 200, ..SolverSettings::default() });
            solver.set_tolerance(1e-10);
            assert!(solver.supports(&problem), "{}", kind.name);
            let (mut v, mut l) = ([0.0; 6], [0.0]);
            let report = solver.solve(&Exec::serial(), &problem, &mut v, &mut l).unwrap();
            assert!(report.converged, "{}: {report:?}", kind.name);
            assert!(
                (v[2] - after).abs() < 1e-8 && (l[0] - impulse).abs() < 1e-7,
                "{}: {v:?} {l:?}",
                kind.name
            );
            assert!((v[0] - 0.25).abs() < 1e-12 && (v[5] - 0.5).abs() < 1e-12, "{}: {v:?}", kind.name);
        }
    }
}

/// Rows that read one column each.
struct Columns(usize);

impl RowOperator for Columns {
    fn rows(&self) -> usize {
        self.0
    }

    fn apply(&self, _: &Exec, v: &[f64], y: &mut [f64]) {
        y.copy_from_slice(v);
    }

    fn add_transpose(&self, _: &Exec, l: &[f64], f: &mut [f64]) {
        f.iter_mut().zip(l).for_each(|(f, l)| *f += l);
    }
}

#[test]
fn solvers_are_listed_with_what_they_support() {
    const ROWS: usize = 2000;
    let inverse = InverseInertiaBlocks::new(1, vec![1.0; ROWS]).unwrap();
    let operator = Columns(ROWS);
    let problem = ConeProblem {
        inverse: &inverse,
        free_velocity: &[0.0; ROWS],
        bias: &[0.0; ROWS],
        compliance: &[],
        rows: &[RowBlock::Operator(&operator)],
        cones: &[Cone::Nonnegative; ROWS],
        friction: FrictionLaw::Relaxed,
    };
    let listed: Vec<_> = SOLVERS.iter().filter(|kind| kind.operators).map(|kind| kind.name).collect();
    assert_eq!(SolverKind::supporting(&problem), listed);
    assert_eq!(operator_solvers().map(ConeMethod::name).collect::<Vec<_>>(), listed);
    assert!(!listed.is_empty());
}
