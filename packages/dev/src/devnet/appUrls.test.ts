import { expect, test } from 'vitest'
import { defaultAppUrls, parseAppUrl, registeredPages } from './appUrls.ts'

test.each([
  ['http://localhost:5174', 'http://localhost:5174/'],
  ['http://127.0.0.1:8080/login?from=dev', 'http://127.0.0.1:8080/login?from=dev'],
  ['http://[::1]:8080', 'http://[::1]:8080/'],
  ['https://shop.localhost', 'https://shop.localhost/'],
])('accepts %s', (text, url) => {
  expect(parseAppUrl(text)).toBe(url)
})

test.each([
  ['localhost:5173', 'is not the address of a page'],
  ['ftp://localhost', 'is not the address of a page'],
  ['http://user@localhost', 'is not the address of a page'],
  ['http://localhost/#there', 'is not the address of a page'],
  ['https://app.example', 'app.example is not this machine'],
  ['http://localhost.app.example:5173', 'localhost.app.example:5173 is not this machine'],
  ['http://192.168.1.2:5173', '192.168.1.2:5173 is not this machine'],
])('refuses %s', (text, message) => {
  expect(() => parseAppUrl(text)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
  )
})

test('lists the wallet first, then requested apps, then the default ones', () => {
  const { urls, origins } = registeredPages('http://localhost:4100', [
    'http://localhost:5173/app',
    'http://localhost:8080',
  ])
  expect(urls).toEqual([
    'http://localhost:4100/',
    'http://localhost:5173/app',
    'http://localhost:8080/',
    ...defaultAppUrls,
  ])
  expect(origins).toEqual([
    'http://localhost:4100',
    'http://localhost:5173',
    'http://localhost:8080',
    'http://localhost:3000',
    'http://localhost:4180',
  ])
})
