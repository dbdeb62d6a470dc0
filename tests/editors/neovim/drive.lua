-- Drives waza-lsp in a real Neovim and writes what it saw as JSON. Any failure leaves with a non-zero status.
local function run()
  vim.opt.runtimepath:append(vim.env.WAZA_CLIENT)
  package.path = vim.env.WAZA_CLIENT .. '/?.lua;' .. package.path
  local seen = { progress = {}, messages = {} }
  local waza = require('waza_lsp')
  vim.lsp.handlers['$/progress'] = function(_, result)
    table.insert(seen.progress, result.value.kind)
  end
  vim.lsp.handlers['window/showMessage'] = function(_, result)
    table.insert(seen.messages, result.message)
    return result
  end

  vim.cmd('edit ' .. vim.env.WAZA_EVAL)
  vim.bo.filetype = 'yaml'
  local buffer = vim.api.nvim_get_current_buf()
  local client = waza.start(buffer, {
    cmd = { vim.env.WAZA_PYTHON, '-P', '-m', 'waza_lsp', 'serve' },
    settings = { waza = { run = { executor = 'replay' } } },
  })
  assert(client, 'the server did not start')

  local function lines_with(text)
    for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      if line:find(text, 1, true) then
        return index - 1, line
      end
    end
    error('no line with ' .. text)
  end

  -- The seeded mistake is found, on the word.
  assert(vim.wait(10000, function() return #vim.diagnostic.get(buffer) > 0 end, 20), 'no diagnostics')
  local found = vim.diagnostic.get(buffer)[1]
  seen.diagnostic = { message = found.message, line = found.lnum, from = found.col, to = found.end_col, source = found.source }

  -- Mending it clears the finding.
  local line, text = lines_with('not_contians')
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { (text:gsub('contians', 'contains')) })
  assert(vim.wait(10000, function() return #vim.diagnostic.get(buffer) == 0 end, 20), 'the finding stayed')

  -- Completion of a grader's options on a new line.
  vim.api.nvim_buf_set_lines(buffer, line, line, false, { '      ' })
  local document = { uri = vim.uri_from_bufnr(buffer) }
  local function ask(method, parameters)
    local answers = vim.lsp.buf_request_sync(buffer, method, parameters, 20000)
    assert(answers, method .. ' was not answered')
    local _, answer = next(answers)
    assert(not answer.err, vim.inspect(answer.err))
    return answer.result
  end
  local completion = ask('textDocument/completion', { textDocument = document, position = { line = line, character = 6 } })
  seen.completion = {}
  for _, item in ipairs(completion.items or completion) do
    table.insert(seen.completion, item.label)
  end
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, {})

  -- Hover on a key.
  local key = lines_with('trials_per_task')
  seen.hover = ask('textDocument/hover', { textDocument = document, position = { line = key, character = 4 } }).contents.value

  -- The lens on the first line, run as a person would run it.
  vim.cmd('silent write')
  local lenses = ask('textDocument/codeLens', { textDocument = document })
  seen.lens = lenses[1].command.title
  seen.verdict = ask('workspace/executeCommand', { command = lenses[1].command.command, arguments = lenses[1].command.arguments })

  local file = assert(io.open(vim.env.WAZA_SEEN, 'w'))
  file:write(vim.fn.json_encode(seen))
  file:close()
end

local ok, problem = pcall(run)
if not ok then
  io.stderr:write(tostring(problem) .. '\n')
  vim.cmd('cq 1')
end
vim.cmd('qall!')
