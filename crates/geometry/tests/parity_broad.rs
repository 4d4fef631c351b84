//! Pairs of boxes against brute force, at any mix of sizes and on any number of threads.

use glam::DVec3;
use huygens_exec::Exec;
use huygens_geometry::{Aabb, BroadPhase, Pose, Shape};
use proptest::prelude::*;

fn brute_force(boxes: &[Aabb], keep: impl Fn(u32, u32) -> bool) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for a in 0..boxes.len() {
        for b in a + 1..boxes.len() {
            if boxes[a].overlaps(&boxes[b]) && keep(a as u32, b as u32) {
                pairs.push([a as u32, b as u32]);
            }
        }
    }
    pairs
}

fn pairs(ex: &Exec, boxes: &[Aabb]) -> Vec<[u32; 2]> {
    let mut out = vec![[7, 7]];
    BroadPhase::new().pairs(ex, boxes, |_, _| true, &mut out);
    out
}

/// Boxes of sizes spread evenly over the logarithm from 1 to `ratio`, filling a region to about `fill`.
fn mixed_boxes(seeds: &[[f64; 7]], ratio: f64, fill: f64) -> Vec<Aabb> {
    let half = |s: &[f64; 7]| {
        let size = ratio.powf(s[3]);
        0.5 * size * DVec3::new(1.0 - 0.9 * s[4], 1.0 - 0.9 * s[5], 1.0 - 0.9 * s[6])
    };
    let volume: f64 = seeds.iter().map(|s| 8.0 * half(s).element_product()).sum();
    let side = (volume / fill).cbrt();
    seeds.iter().map(|s| Aabb::around(DVec3::new(s[0], s[1], s[2]) * side - 0.3 * side, half(s))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn pairs_are_those_of_brute_force(
        seeds in prop::collection::vec(prop::array::uniform7(0.0f64..1.0), 0..400),
        ratio in prop::sample::select(vec![1.0, 2.0, 10.0, 1000.0]),
        fill in 0.05f64..2.0,
        offset in prop::sample::select(vec![0.0, 1e3, -1e9]),
    ) {
        let mut boxes = mixed_boxes(&seeds, ratio, fill);
        for b in &mut boxes {
            b.min += offset;
            b.max += offset;
        }
        prop_assert_eq!(pairs(&Exec::serial(), &boxes), brute_force(&boxes, |_, _| true));
    }
}

fn seeds(count: usize) -> Vec<[f64; 7]> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count).map(|_| [(); 7].map(|()| next())).collect()
}

#[test]
fn pairs_are_the_same_on_any_number_of_threads() {
    let boxes = mixed_boxes(&seeds(12_000), 100.0, 0.5);
    let serial = pairs(&Exec::serial(), &boxes);
    assert!(serial == brute_force(&boxes, |_, _| true));
    for threads in [2, 3] {
        assert!(serial == pairs(&Exec::with_threads(threads).unwrap(), &boxes), "{threads} threads");
    }
}

#[test]
fn filter_ground_and_boxes_far_away_are_respected() {
    let mut boxes = mixed_boxes(&seeds(500), 3.0, 0.8);
    boxes.insert(17, Shape::half_space().aabb(&Pose::IDENTITY));
    boxes.push(Aabb::around(DVec3::splat(1e14), DVec3::ONE));
    boxes.push(Aabb::around(DVec3::splat(-1e14), DVec3::ONE));
    boxes.push(Aabb::around(DVec3::NAN, DVec3::ONE));
    boxes.push(Aabb::EMPTY);
    boxes.push(Aabb::around(DVec3::ZERO, DVec3::splat(1e200)));
    boxes.push(Aabb::around(boxes[0].center(), DVec3::ZERO));
    let keep = |a: u32, b: u32| !(a + b).is_multiple_of(3);
    let mut broad = BroadPhase::new();
    let mut out = Vec::new();
    broad.pairs(&Exec::serial(), &boxes, keep, &mut out);
    assert!(out == brute_force(&boxes, keep));
    // Buffers of one call leave no trace in the next.
    broad.pairs(&Exec::serial(), &boxes[..40], keep, &mut out);
    assert_eq!(out, brute_force(&boxes[..40], keep));
    broad.pairs(&Exec::serial(), &[], keep, &mut out);
    assert!(out.is_empty());
}

#[test]
fn points_and_equal_boxes_on_a_lattice_are_paired() {
    let lattice = |half: f64| -> Vec<Aabb> {
        (0..343)
            .map(|i| {
                let cell = DVec3::new((i % 7) as f64, (i / 7 % 7) as f64, (i / 49) as f64);
                Aabb::around(cell, DVec3::splat(half))
            })
            .collect()
    };
    for half in [0.0, 0.25, 0.5, 1.0] {
        let boxes = lattice(half);
        assert_eq!(pairs(&Exec::serial(), &boxes), brute_force(&boxes, |_, _| true), "half {half}");
    }
}
