//! Fields: scopes, revisions, copies and orders.

use huygens_exec::{Exec, Extent, Field};

#[test]
fn every_change_has_a_revision_and_reading_has_none() {
    let mut field: Field<u32> = vec![3, 1, 2].into();
    let mut last = field.revision();
    assert_eq!((field.read(), field.len(), field.revision()), (&[3, 1, 2][..], 3, last));
    let other: Field<u32> = vec![7, 8].into();
    type Change = fn(&mut Field<u32>, &Field<u32>);
    let changes: [(&str, Change); 9] = [
        ("write", |f, _| f.write()[0] = 4),
        ("push", |f, _| f.push(5)),
        ("extend", |f, _| f.extend([6, 6])),
        ("resize", |f, _| f.resize(8, 9)),
        ("truncate", |f, _| f.truncate(4)),
        ("select", |f, _| f.select([1_usize, 3].into_iter())),
        ("fill", |f, _| f.fill(1)),
        ("clone_from", |f, other| f.clone_from(other)),
        ("clear", |f, _| f.clear()),
    ];
    for (what, change) in changes {
        change(&mut field, &other);
        assert!(field.revision() > last, "{what} is no change");
        last = field.revision();
    }
    assert!(field.is_empty());
}

#[test]
fn copies_keep_the_memory_and_are_equal() {
    let long: Field<f64> = (0..1000).map(f64::from).collect::<Vec<_>>().into();
    let mut copy = long.clone();
    let (memory, bytes) = (copy.read().as_ptr(), copy.bytes());
    copy.write()[0] = 7.0;
    assert_ne!(copy, long);
    copy.clone_from(&long);
    assert_eq!(copy, long);
    copy.truncate(10);
    copy.clone_from(&long);
    assert_eq!((copy.read().as_ptr(), copy.bytes()), (memory, bytes), "it was allocated again");
}

#[test]
fn swapped_fields_have_both_changed() {
    let (mut a, mut b): (Field<u8>, Field<u8>) = (vec![1].into(), vec![2, 3].into());
    let before = [a.revision(), b.revision()];
    a.swap(&mut b);
    assert_eq!((a.read(), b.read()), (&[2, 3][..], &[1][..]));
    assert!(a.revision() > before[0] && b.revision() > before[1]);
}

#[test]
fn orders_are_the_same_on_any_number_of_threads() {
    let count = 20_011;
    // 7 and 20 011 have no common factor: every value comes once.
    let old = |i: usize| (7 * i + 3) % count;
    for threads in [1, 3] {
        let ex = Exec::with_threads(threads).unwrap();
        let mut field: Field<u64> = (0..count as u64).map(|i| i * i).collect::<Vec<_>>().into();
        let mut room = vec![0; count + 5];
        field.reorder(&ex, old, &mut room);
        assert!(field.read().iter().enumerate().all(|(i, x)| *x == (old(i) * old(i)) as u64));
    }
}

#[test]
fn owned_items_come_before_copies() {
    let extent = Extent { owned: 5, ghosts: 3 };
    assert_eq!((extent.owned(), extent.ghosts(), extent.all()), (0..5, 5..8, 0..8));
    assert_eq!(Extent::whole(4).ghosts(), 4..4);
}
