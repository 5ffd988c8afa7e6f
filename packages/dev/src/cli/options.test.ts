import { expect, test } from 'vitest'
import { parseOptions, usage } from './options.ts'

test('reads every option of the usage text', () => {
  expect(parseOptions([])).toMatchObject({
    json: false,
    fresh: false,
    example: true,
    crossSite: false,
    publishedClients: false,
    prefersCodes: false,
    appUrls: [],
  })
  const flags =
    '--port-base 5000 --data-dir=x --fresh --json --no-example --cross-site --published-clients --codes --chain-id 11155111'
  const urls =
    '--webhook-url http://localhost:3000/hooks --app-url http://localhost:8080 --app-url=http://localhost:8081'
  const args = `${flags} ${urls}`.split(' ')
  expect(parseOptions(args)).toEqual({
    help: false,
    json: true,
    fresh: true,
    example: false,
    crossSite: true,
    portBase: 5000,
    chainId: 11155111,
    rpcUrl: undefined,
    dataDir: 'x',
    appUrls: ['http://localhost:8080/', 'http://localhost:8081/'],
    webhookUrl: 'http://localhost:3000/hooks',
    publishedClients: true,
    prefersCodes: true,
    command: undefined,
  })
  expect(parseOptions(['--fresh', '--', 'vite', '--port', '80', '--'])).toMatchObject({
    fresh: true,
    command: ['vite', '--port', '80', '--'],
  })
  expect(parseOptions(['--rpc-url', 'http://localhost:8545', '--help'])).toMatchObject({
    rpcUrl: 'http://localhost:8545',
    help: true,
  })
  const named = [...usage.matchAll(/^ {2}(--[a-z-]+)/gm)].map((match) => match[1])
  expect(named.join(' ')).toBe(
    '--app-url --webhook-url --published-clients --codes --no-example --cross-site --port-base --data-dir --fresh --rpc-url --chain-id --json --version --help',
  )
})

test.each([
  [['--frsh'], "Unknown option '--frsh'. Did you mean --fresh?"],
  [['instal'], "Unknown command 'instal'. Did you mean install?"],
  [['--fresh', '--'], 'Give a command after --'],
  [['--json', '--', 'vite'], '--json cannot be combined with a command'],
  [['start'], "Unexpected argument 'start'"],
  [['--port-base'], "Option '--port-base <value>' argument missing"],
  [['--port-base', 'x'], '--port-base must be a whole number above 0, not "x".'],
  [['--port-base', '-5'], 'ambiguous'],
  [['--chain-id', '0'], '--chain-id must be a whole number above 0, not "0".'],
  [['--port-base', '80'], '--port-base must be a whole number from 1024 to 65521.'],
  [['--app-url', 'https://app.example'], '--app-url: app.example is not this machine'],
  [['--rpc-url', 'localhost:8545'], '--rpc-url must be an http or https URL.'],
  [['--rpc-url', 'http://x', '--chain-id', '1'], '--chain-id cannot be combined with --rpc-url'],
])('refuses the options %j', (args, message) => {
  expect(() => parseOptions(args)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
  )
})
