//! Starts waza-lsp for YAML files. The server ignores those that are not evals.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, serde_json::Value, LanguageServerId, Result, Worktree};

const PROGRAM: &str = "waza-lsp";

struct Waza;

impl zed::Extension for Waza {
    fn new() -> Self {
        Waza
    }

    /// The program of the user's settings, else the one on the worktree's `PATH`.
    fn language_server_command(&mut self, id: &LanguageServerId, worktree: &Worktree) -> Result<zed::Command> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)?;
        let binary = settings.binary.as_ref();
        let command = binary
            .and_then(|it| it.path.clone())
            .or_else(|| worktree.which(PROGRAM))
            .ok_or_else(|| format!("{PROGRAM} is not on PATH. Install it, or set lsp.{PROGRAM}.binary.path."))?;
        let args = binary
            .and_then(|it| it.arguments.clone())
            .unwrap_or_else(|| vec!["serve".to_string()]);
        Ok(zed::Command {
            command,
            args,
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(id.as_ref(), worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(id.as_ref(), worktree)?.settings)
    }
}

zed::register_extension!(Waza);
