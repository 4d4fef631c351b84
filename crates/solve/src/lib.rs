//! Linear, eigenvalue and cone solvers of Huygens; knows no bodies.
