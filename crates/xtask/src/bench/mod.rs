//! stub
pub(crate) fn run(_options: &[&str]) -> Result<(), String> {
    Ok(())
}
