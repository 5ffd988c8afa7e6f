import { expect, test } from 'vitest'
import { chooseRedirectUrl } from './chooseRedirectUrl.ts'

const project = {
  redirectUrls: ['https://app.example/', 'https://beta.example/in'],
  allowedOrigins: [],
}

test('default', () => {
  expect(chooseRedirectUrl(project, undefined)).toBe('https://app.example/')
})

test('param: origin', () => {
  expect(chooseRedirectUrl(project, 'https://beta.example')).toBe('https://beta.example/in')
})

test('behavior: another origin, or one that only starts alike, gets the first', () => {
  expect(chooseRedirectUrl(project, 'https://evil.example')).toBe('https://app.example/')
  expect(chooseRedirectUrl(project, 'https://beta.example.evil')).toBe('https://app.example/')
})

test('behavior: none registered: the front page of an origin of the project', () => {
  const pages = { redirectUrls: [], allowedOrigins: ['https://app.example', 'https://beta.example'] }
  expect(chooseRedirectUrl(pages, 'https://beta.example')).toBe('https://beta.example/')
  expect(chooseRedirectUrl(pages, 'https://evil.example')).toBe('https://app.example/')
  expect(chooseRedirectUrl({ redirectUrls: [], allowedOrigins: [] }, undefined)).toBeUndefined()
})
