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

-- Neovim 0.12 requests lenses by itself after each edit and whenever the server says so. Older versions do neither, and up to
-- 0.9 a request before the server is there blocks all later ones (`vim.lsp.codelens.refresh`), so they get our own requests.
local keeps_lenses = vim.lsp.codelens.enable ~= nil

local function request_lenses(client, buffer)
  if keeps_lenses or not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  local parameters = { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
  if vim.fn.has('nvim-0.11') == 1 then
    client:request('textDocument/codeLens', parameters, vim.lsp.codelens.on_codelens, buffer)
  else
    client.request('textDocument/codeLens', parameters, vim.lsp.codelens.on_codelens, buffer)
  end
end

-- The server has new results: of a run, of a live verdict, of another process.
local function on_lens_refresh(_, _, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  for _, buffer in ipairs(client and vim.lsp.get_buffers_by_client_id(context.client_id) or {}) do
    request_lenses(client, buffer)
  end
  return vim.NIL
end

local function on_attach(client, buffer)
  if keeps_lenses then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  request_lenses(client, buffer)
  local group = vim.api.nvim_create_augroup('waza-lsp-lenses-' .. buffer, { clear = true })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'TextChanged', 'InsertLeave' }, {
    group = group,
    buffer = buffer,
    callback = function()
      request_lenses(client, buffer)
    end,
  })
end

local function configuration(options, root)
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  local handlers = vim.tbl_extend('force', {}, options.handlers or {})
  if not keeps_lenses then
    capabilities.workspace.codeLens = { refreshSupport = true }
    handlers['workspace/codeLens/refresh'] = on_lens_refresh
  end
  return {
    name = 'waza-lsp',
    cmd = options.cmd or { 'waza-lsp', 'serve' },
    root_dir = root,
    settings = options.settings or {},
    capabilities = vim.tbl_deep_extend('force', capabilities, options.capabilities or {}),
    handlers = handlers,
    on_init = function(client)
      if not vim.lsp.start then -- Later versions send the settings by themselves.
        client.notify('workspace/didChangeConfiguration', { settings = options.settings or {} })
      end
      return true
    end,
    on_attach = function(client, buffer)
      on_attach(client, buffer)
      if options.on_attach then
        options.on_attach(client, buffer)
      end
    end,
  }
end

-- Attach the server of the buffer's folder, and start it if it does not run yet. Return the client's id.
function M.start(buffer, options)
  local root = root_of(vim.api.nvim_buf_get_name(buffer))
  if vim.lsp.start then
    return vim.lsp.start(configuration(options, root), { bufnr = buffer })
  end
  M.clients = M.clients or {}
  local client = M.clients[root]
  if client == nil or vim.lsp.get_client_by_id(client) == nil then
    client = vim.lsp.start_client(configuration(options, root))
    M.clients[root] = client
  end
  if client ~= nil then
    vim.lsp.buf_attach_client(buffer, client)
  end
  return client
end

function M.setup(options)
  options = options or {}
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('waza-lsp', { clear = true }),
    pattern = { 'yaml', 'yaml.*', 'markdown' },
    callback = function(event)
      -- Of Markdown, only skills: they show the evals that test them.
      if event.match ~= 'markdown' or vim.fn.fnamemodify(event.file, ':t') == 'SKILL.md' then
        M.start(event.buf, options)
      end
    end,
  })
end

return M
