import { expect, test } from 'vitest'
import { createBatcher } from './createBatcher.ts'

test('batches the keys requested in one turn of the event loop, or during a look-up', async () => {
  const batches: number[][] = []
  const double = createBatcher(async (keys: readonly number[]) => {
    batches.push([...keys])
    await new Promise((resolve) => setTimeout(resolve, 5))
    return keys.map((key) => key * 2)
  })
  const first = [1, 2].map(double)
  await expect.poll(() => batches).toEqual([[1, 2]])
  expect(await Promise.all([...first, ...[3, 4].map(double)])).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(await double(5)).toBe(10)
})

test('bounds batches', async () => {
  const sizes: number[] = []
  const same = createBatcher(async (keys: readonly number[]) => {
    sizes.push(keys.length)
    return keys
  })
  await Promise.all(Array.from({ length: 130 }, (_, index) => same(index)))
  expect(sizes).toEqual([64, 64, 2])
})

test('fails only the keys of a failed look-up', async () => {
  let calls = 0
  const load = createBatcher(async (keys: readonly number[]) => {
    if (++calls === 2) throw new TypeError('gone')
    return keys
  })
  expect(await load(1)).toBe(1)
  const answers = await Promise.allSettled([2, 3].map(load))
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await load(4)).toBe(4)
})
