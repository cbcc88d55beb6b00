-- What nvim_test.go has Neovim do with gpuc as its language server: a person's session, each step through what Neovim
-- itself makes of the server's answers. What comes of it is written to standard output, a line for each step.
local gpuc, file = vim.env.GPUC, vim.env.KERNEL
local function say(...) io.stdout:write(table.concat({...}, ' ') .. '\n') end
local function failed(why) say('failed:', why) vim.cmd('cquit') end

vim.cmd('edit ' .. file)
local buffer = vim.api.nvim_get_current_buf()
local published -- the version that the last diagnostics are about
local client = vim.lsp.start_client({
  name = 'gpuc', cmd = {gpuc, 'lsp'}, root_dir = vim.fn.getcwd(),
  handlers = {['textDocument/publishDiagnostics'] = function(err, result, ...)
    published = result.version
    return vim.lsp.diagnostic.on_publish_diagnostics(err, result, ...)
  end},
})
if not client then failed('the server does not start') end
vim.lsp.buf_attach_client(buffer, client)

-- wait waits for diagnostics, of the text as it is unless any will do.
local function wait(any)
  local sent = function() -- Neovim 0.11 has no versions of its own
    return vim.lsp.util.buf_versions and vim.lsp.util.buf_versions[buffer] or vim.api.nvim_buf_get_changedtick(buffer)
  end
  if not vim.wait(60000, function() return published and (any or published == sent()) end, 5) then failed('no diagnostics') end
  for _, d in ipairs(vim.diagnostic.get(buffer)) do
    say(('  %d:%d-%d:%d %s [%s]'):format(d.lnum, d.col, d.end_lnum, d.end_col, d.message:gsub('\n', ' / '), d.code or d.user_data.lsp.code))
  end
end

-- ask asks about a place, which counts lines and bytes from 0, and returns the result.
local function ask(method, line, col, more)
  local _, character = vim.str_utfindex(vim.api.nvim_buf_get_lines(buffer, line, line + 1, true)[1], col) -- of UTF-16
  local params = {textDocument = vim.lsp.util.make_text_document_params(buffer), position = {line = line, character = character}}
  local answers, err = vim.lsp.buf_request_sync(buffer, 'textDocument/' .. method, vim.tbl_extend('force', params, more or {}), 60000)
  if not answers then failed(method .. ': ' .. err) end
  local answer = answers[client]
  if answer.error or answer.err then say('  refused:', (answer.error or answer.err).message) end
  return answer.result
end

local function edit(work)
  work()
  wait()
end

say('opened')
wait(true)
say('fixed')
edit(function()
  local d = vim.diagnostic.get(buffer)[1]
  local place = {line = d.lnum, character = d.col}
  local answers = vim.lsp.buf_request_sync(buffer, 'textDocument/codeAction', {
    textDocument = vim.lsp.util.make_text_document_params(buffer), range = {start = place, ['end'] = place}, context = {diagnostics = {}}}, 60000)
  local action = answers[client].result[1]
  say(' ', action.title)
  vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16')
end)
say('hover')
for line in ask('hover', 8, 10).contents.value:gmatch('[^\n]+') do say(' ', line) end
say('definition')
local at = ask('definition', 8, 12).range
say(('  %d:%d'):format(at.start.line, at.start.character))
say('renamed')
edit(function() vim.lsp.util.apply_workspace_edit(ask('rename', 2, 5, {newName = 'weight'}), 'utf-16') end)
say('refused')
ask('rename', 2, 5, {newName = 'at'})
say('completion')
vim.api.nvim_buf_set_lines(buffer, 9, 9, true, {'    /* 𝄞 */ let p = bodies[i].'})
for _, item in ipairs(ask('completion', 9, #'    /* 𝄞 */ let p = bodies[i].').items) do say(' ', item.label, item.detail) end
say('typed')
edit(function()
  -- keystrokes beside characters of two units and in several lines at once
  vim.api.nvim_buf_set_text(buffer, 9, #'    /* 𝄞 */ let p = bodies[i].', 9, #'    /* 𝄞 */ let p = bodies[i].', {'at;', '    /* é𝄞 */', '    let q = 𝄞;'})
end)
edit(function() vim.api.nvim_buf_set_text(buffer, 11, 12, 11, 16, {'p.x + f32(i)'}) end)
say('undone')
edit(function() vim.cmd('silent undo') end)
edit(function() vim.cmd('silent redo') end)
say('formatted')
edit(function()
  local answers = vim.lsp.buf_request_sync(buffer, 'textDocument/formatting', vim.lsp.util.make_formatting_params({}), 60000)
  vim.lsp.util.apply_text_edits(answers[client].result, buffer, 'utf-16')
end)
vim.cmd('silent write')
vim.lsp.stop_client(client)
if not vim.wait(60000, function() return vim.lsp.client_is_stopped(client) end, 5) then failed('the server does not end') end
say('ended')
vim.cmd('qall!')
