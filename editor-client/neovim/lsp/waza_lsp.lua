---@brief
---
--- https://github.com/waza-lsp/waza-lsp
---
--- Language server for files that evaluate AI agents (waza and vally): findings, fixes, completion, runs and their verdicts.
---
--- Install it from a checkout or a wheel file: https://github.com/waza-lsp/waza-lsp/blob/main/docs/install.md
---
--- The server ignores YAML files that are not evals, so it can stand beside `yamlls`. Its lenses run and grade tasks:
---
--- ```lua
--- vim.lsp.enable('waza_lsp')
--- vim.lsp.codelens.enable() -- Neovim 0.12
--- ```

---@type vim.lsp.Config
return {
  cmd = { 'waza-lsp', 'serve' },
  -- Other plugins give `tasks/*.yaml` the type of Ansible. Of Markdown, only SKILL.md is attached.
  filetypes = { 'yaml', 'yaml.ansible', 'markdown' },
  -- The nearest folder with one of them, as the server has it; else the file's own folder.
  root_dir = function(buffer, on_dir)
    local path = vim.api.nvim_buf_get_name(buffer)
    if vim.bo[buffer].filetype == 'markdown' and vim.fs.basename(path) ~= 'SKILL.md' then
      return
    end
    on_dir(vim.fs.root(path, { '.git', '.waza.yaml' }) or vim.fs.dirname(path))
  end,
  settings = { waza = vim.empty_dict() },
}
