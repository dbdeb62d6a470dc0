-- Starts waza-lsp for YAML files. Works with Neovim 0.7 and newer.
local M = {}

local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  for _, mark in ipairs({ '.git', '.waza.yaml' }) do
    local found = vim.fn.finddir(mark, folder .. ';')
    if found == '' then
      found = vim.fn.findfile(mark, folder .. ';')
    end
    if found ~= '' then
      return vim.fn.fnamemodify(found, ':p:h' .. (mark == '.git' and ':h' or ''))
    end
  end
  return folder
end

function M.start(buffer, options)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  M.clients = M.clients or {}
  local client = M.clients[root]
  if client == nil or vim.lsp.get_client_by_id(client) == nil then
    client = vim.lsp.start_client({
      name = 'waza-lsp',
      cmd = options.cmd or { 'waza-lsp', 'serve' },
      root_dir = root,
      settings = options.settings or {},
      handlers = options.handlers,
      on_init = function(it)
        it.notify('workspace/didChangeConfiguration', { settings = options.settings or {} })
        return true
      end,
    })
    M.clients[root] = client
  end
  if client ~= nil then
    vim.lsp.buf_attach_client(buffer, client)
  end
  return client
end

function M.setup(options)
  options = options or {}
  local group = vim.api.nvim_create_augroup('waza-lsp', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = { 'yaml', 'yaml.*' },
    callback = function(event)
      M.start(event.buf, options)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave' }, {
    group = group,
    pattern = { '*.yaml', '*.yml' },
    callback = function()
      pcall(vim.lsp.codelens.refresh)
    end,
  })
end

return M
