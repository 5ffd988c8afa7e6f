import { Hono } from 'hono'
import { expectTypeOf, test } from 'vitest'
import type { createServer } from '../../app/createServer.ts'
import { listen } from './listen.ts'

test('param: fetch', () => {
  // A server, an app of Hono's and a plain function.
  expectTypeOf<createServer.ReturnType['fetch']>().toExtend<listen.Fetch>()
  expectTypeOf(new Hono().fetch).toExtend<listen.Fetch>()
  expectTypeOf((_request: Request) => new Response()).toExtend<listen.Fetch>()
  expectTypeOf((_request: Request) => 'text').not.toExtend<listen.Fetch>()
})

test('param: options', () => {
  expectTypeOf(listen).parameter(1).toEqualTypeOf<listen.Options>()
  expectTypeOf<{ port: number }>().toExtend<listen.Options>()
  expectTypeOf<{ host: string }>().not.toExtend<listen.Options>()
})
