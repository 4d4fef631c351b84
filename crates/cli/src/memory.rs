//! An end in order when memory runs out.
#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};

use crate::output;

/// The allocator of the system; the program ends with a message and the exit code of invalid input where it has no more
/// memory, instead of being aborted.
///
/// What is known to need much is refused before it begins; this is for the rest.
pub struct Allocator;

/// Ends the program if an allocation failed.
fn checked(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        // A constant and a number: written without memory of their own.
        output::note(format_args!(
            "huygens: out of memory: another {bytes} bytes are not to be had; take a smaller model, or allow more memory"
        ));
        std::process::exit(2);
    }
    memory
}

// SAFETY: every call is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract.
        checked(unsafe { System.realloc(memory, layout, size) }, size)
    }
}
