import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { productVersion, sdkVersion } from './headers.ts'

test('names the version of the packages, apart from that of the wire', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(productVersion).toBe(version)
  expect(sdkVersion).toBe('3.14.1')
})
