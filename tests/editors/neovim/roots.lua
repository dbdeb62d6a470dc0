-- Writes the root that each of the files in $WAZA_FILES (one a line) gets, as JSON: from our module, and where Neovim has
-- `vim.fs.root`, from the file for nvim-lspconfig.
package.path = vim.env.WAZA_CLIENT .. '/?.lua;' .. package.path
local waza = require('waza_lsp')
local seen = { module = {}, lspconfig = {} }
vim.lsp[vim.lsp.start and 'start' or 'start_client'] = function(options)
  table.insert(seen.module, options.root_dir)
end
local config = dofile(vim.env.WAZA_CLIENT .. '/lsp/waza_lsp.lua')
for _, path in ipairs(vim.split(vim.env.WAZA_FILES, '\n')) do
  vim.cmd('edit ' .. vim.fn.fnameescape(path))
  waza.start(vim.api.nvim_get_current_buf(), {})
  if (vim.fs or {}).root then
    config.root_dir(vim.api.nvim_get_current_buf(), function(root) table.insert(seen.lspconfig, root) end)
  end
end
seen.cmd, seen.filetypes = config.cmd, config.filetypes
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.WAZA_SEEN)
vim.cmd('qa!')
