//! Reductions have the same bits on any number of threads.

use huygens_exec::Exec;
use huygens_kernel::Vec3;

fn values(count: usize) -> Vec<f64> {
    (0..count).map(|i| (1.0 + i as f64).powf(-1.3) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect()
}

fn on_all(check: impl Fn(&Exec)) {
    check(&Exec::serial());
    [2, 3, 4].into_iter().for_each(|threads| check(&Exec::with_threads(threads).unwrap()));
}

#[test]
fn sums_do_not_depend_on_the_number_of_threads() {
    let values = values(100_003);
    let vectors: Vec<Vec3> = values.iter().map(|x| Vec3::new(*x, 1.0 / x, x * x)).collect();
    let sums = |ex: &Exec| {
        let vector = ex.sum_vectors(vectors.len(), 100, |r| vectors[r].iter().sum());
        let number = ex.reduce(values.len(), 64, |r| values[r].iter().sum::<f64>(), |a, b| a + b).unwrap();
        [vector.x, vector.y, vector.z, number].map(f64::to_bits)
    };
    let serial = sums(&Exec::serial());
    on_all(|ex| assert_eq!(sums(ex), serial));
    let plain: f64 = values.iter().sum();
    let found = f64::from_bits(serial[3]);
    assert!((found - plain).abs() < 1e-12 * plain.abs(), "{found} {plain}");
    assert_ne!(found.to_bits(), plain.to_bits(), "the order of a chunked sum is its own");
}

#[test]
fn one_chunk_is_a_plain_loop() {
    let values = values(1000);
    let plain: f64 = values.iter().sum();
    on_all(|ex| {
        let sum = ex.reduce(values.len(), 1000, |r| values[r].iter().sum::<f64>(), |a, b| a + b);
        assert_eq!(sum.map(f64::to_bits), Some(plain.to_bits()));
    });
}

#[test]
fn chunks_are_joined_in_their_order() {
    // Joining texts does not commute: any exchange shows.
    for count in [1, 6, 7, 8, 9, 20, 63, 64, 65, 1000] {
        let whole: String = (0..count).map(|i| format!("{i},")).collect();
        on_all(|ex| {
            let of = |r: std::ops::Range<usize>| r.map(|i| format!("{i},")).collect::<String>();
            assert_eq!(ex.reduce(count, 7, of, |a, b| a + &b).as_ref(), Some(&whole));
        });
    }
}

#[test]
fn extremes_counts_and_the_first_are_found_everywhere() {
    let mut values = values(5000);
    (values[4321], values[77]) = (50.0, -60.0);
    on_all(|ex| {
        let of = |range: std::ops::Range<usize>, f: fn(f64, f64) -> f64, start: f64| {
            values[range].iter().copied().fold(start, f)
        };
        assert_eq!(ex.max(values.len(), 64, |r| of(r, f64::max, f64::NEG_INFINITY)), 50.0);
        assert_eq!(ex.min(values.len(), 64, |r| of(r, f64::min, f64::INFINITY)), -60.0);
        assert_eq!(ex.count(values.len(), 64, |r| values[r].iter().filter(|x| **x < 0.0).count()), 1667 + 1);
        assert_eq!((ex.max_abs(&values), ex.max_abs(&[f64::NAN, -0.5]), ex.max_abs(&[])), (60.0, 0.5, 0.0));
        let far = |i: usize| (values[i].abs() > 10.0).then_some(values[i]);
        assert_eq!(ex.find_first(values.len(), 64, far), Some((77, -60.0)));
        assert_eq!(ex.find_first(values.len(), 64, |i| (values[i] > 60.0).then_some(())), None);
        assert_eq!((ex.max(0, 8, |_| 0.0), ex.min(0, 8, |_| 0.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((ex.sum_vectors(0, 8, |_| Vec3::ONE), ex.count(0, 8, |_| 1)), (Vec3::ZERO, 0));
    });
}
