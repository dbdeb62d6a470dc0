-- Drives waza-lsp in a real Neovim and writes what it saw as JSON. Any failure leaves with a non-zero status.
-- Lenses are read from the screen's marks: what a person sees, not what a request would answer.
local function run()
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
  -- What asks the user: lenses and code actions, and the server's question about trust (up to 0.9 through `inputlist`).
  local wanted = {}
  vim.ui.select = function(items, options, choose)
    local format = options.format_item or tostring
    for _, item in ipairs(items) do
      for _, text in ipairs(wanted) do
        if format(item):find(text, 1, true) then
          return choose(item)
        end
      end
    end
    error('not offered: ' .. vim.inspect(vim.tbl_map(format, items)))
  end
  vim.fn.inputlist = function(lines)
    for _, line in ipairs(lines) do
      if line:find('Trust this folder', 1, true) then
        return tonumber(line:match('%d+'))
      end
    end
    error('not the question about trust: ' .. vim.inspect(lines))
  end
  waza.setup({
    cmd = { vim.env.WAZA_PYTHON, '-P', '-m', 'waza_lsp', 'serve' },
    settings = { waza = { run = { executor = 'replay' } } },
  })
  vim.cmd('filetype on')

  local shown_lenses
  local function wait_for(what, holds)
    assert(vim.wait(30000, function()
      vim.cmd('redraw') -- Neovim 0.12 sets the marks of lenses when it draws.
      return holds()
    end, 20), what .. ': ' .. vim.inspect(shown_lenses and shown_lenses(0)) .. vim.inspect(seen.messages))
  end
  shown_lenses = function(buffer)
    local found = {}
    for name, space in pairs(vim.api.nvim_get_namespaces()) do
      if name:find('codelens', 1, true) then
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
          local chunks = mark[4].virt_text or (mark[4].virt_lines or {})[1] or {}
          local text = table.concat(vim.tbl_map(function(chunk) return chunk[1] end, chunks))
          found[mark[2]] = vim.trim(text)
        end
      end
    end
    return found
  end
  local function first_line_with(text)
    for index, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
      if line:find(text, 1, true) then
        return index - 1, line
      end
    end
    error('no line with ' .. text)
  end
  local function findings(text)
    return vim.tbl_filter(function(it) return it.message:find(text, 1, true) ~= nil end, vim.diagnostic.get(0))
  end

  -- The first file: its lenses show, although nothing was typed and no event followed the start of the server.
  vim.cmd('edit ' .. vim.env.WAZA_EVAL)
  local buffer = vim.api.nvim_get_current_buf()
  wait_for('no lenses in the first file', function() return (shown_lenses(buffer)[0] or ''):find('Run all') end)
  seen.first_lens = shown_lenses(buffer)[0]

  -- Inlay hints, where Neovim has them.
  if vim.lsp.inlay_hint then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
    wait_for('no inlay hints', function() return #vim.lsp.inlay_hint.get({ bufnr = buffer }) > 0 end)
    seen.hints = vim.tbl_map(function(it) return it.inlay_hint.label end, vim.lsp.inlay_hint.get({ bufnr = buffer }))
  end

  -- The seeded mistake is found, on the word, and a code action mends it.
  wait_for('no diagnostics', function() return #findings('not_contians') > 0 end)
  local found = findings('not_contians')[1]
  seen.diagnostic = { message = found.message, line = found.lnum, from = found.col, to = found.end_col, source = found.source }
  local line = first_line_with('not_contians')
  vim.api.nvim_win_set_cursor(0, { line + 1, 8 })
  wanted = { "Change to 'not_contains'" }
  vim.lsp.buf.code_action()
  wait_for('the code action changed nothing', function()
    return (vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1]):find('not_contains', 1, true)
  end)
  wait_for('the finding stayed', function() return #findings('not_contians') == 0 end)
  vim.cmd('silent write')

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
  seen.completion = vim.tbl_map(function(item) return item.label end, completion.items or completion)
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, {})
  vim.cmd('silent write')

  -- Hover on a key.
  local key = first_line_with('trials_per_task')
  seen.hover = ask('textDocument/hover', { textDocument = document, position = { line = key, character = 4 } }).contents.value

  -- The lens on the first line, run as a person runs it; its verdict appears without another key.
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  wanted = { 'Run all', 'Trust this folder' }
  vim.lsp.codelens.run()
  wait_for('no verdict in the lens', function() return (shown_lenses(buffer)[0] or ''):find('1.00') end)
  seen.verdict = shown_lenses(buffer)[0]

  -- An edit makes a check fail in every recorded task: a finding each.
  local check = first_line_with("I don't have access")
  vim.api.nvim_buf_set_lines(buffer, check, check, false, { '        - e' })
  vim.cmd('doautocmd TextChanged') -- No event without a key.
  wait_for('no live verdict', function() return #findings('"e"') > 0 end)
  seen.live = vim.tbl_map(function(it) return it.message end, vim.diagnostic.get(buffer))

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
