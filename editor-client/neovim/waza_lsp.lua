-- Starts waza-lsp for YAML files. Works with Neovim 0.7 and newer.
local M = {}

local marks = { '.git', '.waza.yaml' }
local files = vim.uv or vim.loop

-- The nearest folder above the file that holds a mark, as the server has it; else the file's own folder. In a worktree or a
-- submodule `.git` is a file.
local function root_of(path)
  local own = vim.fn.fnamemodify(path, ':p:h')
  local folder, below = own, nil
  while folder ~= below do
    for _, mark in ipairs(marks) do
      if files.fs_stat(folder .. '/' .. mark) ~= nil then
        return folder
      end
    end
    folder, below = vim.fn.fnamemodify(folder, ':h'), folder
  end
  return own
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
