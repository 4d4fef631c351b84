//! Linear, eigenvalue and cone solvers of Huygens, independent of bodies.
//!
//! Everything here operates only on matrices, vectors and cones. [`block`] is the direct solver of joint-sized
//! saddle-point systems, whose pattern is known once and whose values change every step; [`sparse`] and [`krylov`]
//! serve larger and matrix-free systems. [`cone`] and [`lcp`] solve contact, friction, limits and clutches; [`eigen`]
//! finds modes under constraints, [`eigen_sparse`] a few of many; [`dense`] identifies redundant constraint rows.
//!
//! Results are bit-identical on any number of threads.

pub mod block;
pub mod cone;
pub mod dense;
pub mod eigen;
pub mod eigen_sparse;
mod error;
pub mod krylov;
pub mod lcp;
pub mod sparse;

pub use block::{BlockKind, BlockLu, BlockMatrix, BlockPattern, FactorReport};
pub use cone::{
    BodyInverse, Cone, ConeProblem, ConeReport, ConeSolver, FrictionLaw, InverseInertia,
    InverseInertiaBlocks, InverseInertiaBodies, PairContact, PairRows, RowBlock, RowOperator, SOLVERS,
    SolverApgd, SolverInteriorPoint, SolverKind, SolverPsor, SolverSettings, SparseRows,
};
pub use eigen::{LinearizedSystem, Modes, constrained_modes, undamped_modes};
pub use eigen_sparse::{EigenRequest, SparseModes, SparseSpectrum, shift_invert_lanczos, sparse_spectrum};
pub use error::SolveError;
pub use faer;
pub use krylov::{
    KrylovReport, LinearOperator, Preconditioner, SolverBicgstab, SolverCg, SolverGmres, SolverMinres,
};
pub use lcp::{BoxLcp, LcpReport};
pub use sparse::{SparseCholesky, SparseLower, SparseLu, SparseMatrix, SparseParallelism};
