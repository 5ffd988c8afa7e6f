import { randomUUID } from 'node:crypto'
import { startTestCustody } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'
import { readProjects } from '../../organizations/trustedProjects.ts'
import { chooseSignInLink } from './emailAuth.ts'

const otherRoot = randomUUID()
const project = {
  id: 'one',
  name: 'One',
  apiKey: 'key-of-one',
  redirectUrls: ['https://one.example/login', 'https://one.example/tenant?id=7'],
  allowedOrigins: ['https://one.example'],
}
const open = {
  ...project,
  id: 'four',
  apiKey: 'key-of-four',
  redirectUrls: ['https://four.example/'],
  redirectParams: ['*'],
}
const pages = { ...project, id: 'two', apiKey: 'key-of-two', redirectUrls: [], allowedOrigins: ['https://two.example'] }
const other = { ...project, id: 'three', apiKey: 'key-of-three', redirectUrls: ['https://three.example/'] }

const custody = await startTestCustody({ projects: [project, pages, open, { ...other, organizationId: otherRoot }] })
const context = { ...custody.deps, projects: readProjects(custody.deps.projects) }
afterAll(() => custody.close())

async function find(template: string, rootOrgId = custody.rootOrganizationId) {
  const { project } = chooseSignInLink(context, { template, rootOrgId })
  if (!project) throw new TypeError('a requested link belongs to no project')
  return project
}

test('finds the project of a registered redirect URL', async () => {
  const project = await find('https://one.example/login?aa-is-signup=true&bundle=%s&orgId=1')
  expect(project.name).toBe('One')
})

test('requires the parameters of the registered URL', async () => {
  await expect(find('https://one.example/tenant?id=7&bundle=%s')).resolves.toMatchObject({ id: 'one' })
  await expect(find('https://one.example/tenant?id=8&bundle=%s')).rejects.toThrow('registered')
})

test('refuses links that lead elsewhere', async () => {
  for (const template of [
    'https://evil.example/login?bundle=%s',
    'https://one.example.evil.example/login?bundle=%s',
    'https://one.example@evil.example/login?bundle=%s',
    'https://user:pass@one.example/login?bundle=%s',
    'http://one.example/login?bundle=%s',
    'https://one.example:444/login?bundle=%s',
    'https://one.example/login/other?bundle=%s',
    'https://one.example/login/../other?bundle=%s',
    'https://one.example\\@evil.example/login?bundle=%s',
    'https://one.example/login?x=1\r\nBcc: a@evil.example&bundle=%s',
    'javascript:alert(1)//one.example/login?bundle=%s',
    '//one.example/login?bundle=%s',
    'bundle=?%s',
  ])
    await expect(find(template), template).rejects.toMatchObject({ code: 'REDIRECT_NOT_ALLOWED' })
})

test('refuses a parameter that leads to another site, also where any is permitted', async () => {
  const named = { ...context, projects: readProjects([{ ...project, redirectParams: ['next'] }]) }
  const rootOrgId = custody.rootOrganizationId
  for (const value of [
    'https://evil.example',
    '//evil.example/a',
    '\\\\evil.example',
    '/\\evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'data:text/html,1',
  ]) {
    const query = `next=${encodeURIComponent(value)}&bundle=%s`
    await expect(find(`https://four.example/?${query}`), value).rejects.toThrow(
      /"next" holds the address of another site/,
    )
    const choose = () => chooseSignInLink(named, { template: `https://one.example/login?${query}`, rootOrgId })
    expect(choose, value).toThrow(/"next" holds the address of another site/)
  }
  for (const value of ['/home page?x=1', 'a:b', '7', 'https://one.example/after', 'https://four.example/'])
    await expect(
      find(`https://four.example/?next=${encodeURIComponent(value)}&bundle=%s`),
      value,
    ).resolves.toMatchObject({
      id: 'four',
    })
})

test('refuses templates without exactly one bundle in the query', async () => {
  for (const template of [
    'https://one.example/login',
    'https://one.example/login?a=%s&b=%s',
    'https://one.example/login%s?bundle=1',
    'https://%s/login?bundle=1',
    'https://one.example/login#%s',
    'https://one.example/login?a=1#%s',
  ])
    await expect(find(template), template).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
})

test('accepts the root page of an allowed origin in a project without redirect URLs', async () => {
  await expect(find('https://two.example/?bundle=%s')).resolves.toMatchObject({ id: 'two' })
  await expect(find('https://two.example/other?bundle=%s')).rejects.toMatchObject({ code: 'REDIRECT_NOT_ALLOWED' })
  await expect(find('https://one.example/?bundle=%s')).rejects.toMatchObject({ code: 'REDIRECT_NOT_ALLOWED' })
})

test("refuses a page of another parent organization's project", async () => {
  const template = 'https://three.example/?bundle=%s'
  await expect(find(template)).rejects.toMatchObject({ code: 'REDIRECT_NOT_ALLOWED' })
  await expect(find(template, otherRoot)).resolves.toMatchObject({ id: 'three' })
  await expect(find('https://one.example/login?bundle=%s', otherRoot)).rejects.toMatchObject({
    code: 'REDIRECT_NOT_ALLOWED',
  })
})
