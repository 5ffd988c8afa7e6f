import { expect, test } from 'vitest'
import { z } from 'zod'
import { validate } from './validate.ts'

const schema = z.strictObject({ list: z.array(z.strictObject({ name: z.string() })) })

test('default', () => {
  expect(validate(schema, { list: [{ name: 'a' }] })).toEqual({ list: [{ name: 'a' }] })
})

test('error: names the fields', () => {
  expect(() => validate(schema, { list: [{ name: 1 }] }, 'order')).toThrow(
    expect.objectContaining({
      code: 'REQUEST_INVALID',
      message: 'The order is not valid. list.0.name: Invalid input: expected string, received number',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'list.0.name', description: 'Invalid input: expected string, received number' }],
        },
      ],
    }),
  )
})

test('behavior: names five fields at most', () => {
  const list = Array.from({ length: 50 }, () => ({ name: 1 }))
  expect(() => validate(schema, { list })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('list.5') }),
  )
})
