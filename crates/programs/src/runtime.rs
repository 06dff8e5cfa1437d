//! The library that goes into tested programs, carried inside this one.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::FromRawFd;
use std::path::{Path, PathBuf};

/// The library, built by this crate's build script from `burnside-preload`.
static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libburnside.so"));

/// The library as a file without a name, to be inherited by a program.
///
/// # Errors
///
/// When the kernel has no memory for it.
pub(crate) fn anonymous_file() -> io::Result<File> {
    const NAME: &CStr = c"burnside";
    // SAFETY: the name is a string; the call makes a new descriptor.
    let descriptor = unsafe { libc::memfd_create(NAME.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and nobody else's.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(LIBRARY)?;
    Ok(file)
}

/// Writes the library into `directory` under the names a linker looks for, and
/// answers its path.
///
/// # Errors
///
/// When the directory cannot be written.
pub fn install(directory: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(directory)?;
    let library = directory.join("libburnside.so");
    std::fs::write(&library, LIBRARY)?;
    // `gcc -fsanitize=thread` links `-ltsan`: with this directory first it
    // finds the same library, which answers for the sanitizer's.
    let alias = directory.join("libtsan.so");
    if alias.symlink_metadata().is_ok() {
        std::fs::remove_file(&alias)?;
    }
    std::os::unix::fs::symlink("libburnside.so", &alias)?;
    std::fs::write(directory.join("verisoft.h"), include_bytes!("../include/verisoft.h"))?;
    Ok(library)
}
