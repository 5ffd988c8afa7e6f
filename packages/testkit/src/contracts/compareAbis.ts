import type { Abi, AbiFunction, AbiParameter } from 'viem'

/**
 * Compares signatures, results, payability, indexed fields and errors. Ignores parameter names, and whether a function
 * is view or pure.
 */
export function compareAbis(actual: Abi, published: Abi): { missing: string[]; extra: string[] } {
  const [has, wants] = [new Set(actual.map(describe)), new Set(published.map(describe))]
  return {
    missing: [...wants].filter((name) => !has.has(name)).sort(),
    extra: [...has].filter((name) => !wants.has(name)).sort(),
  }
}

function describe(item: Abi[number]): string {
  const inputs = 'inputs' in item ? (item.inputs as readonly (AbiParameter & { indexed?: boolean })[]) : []
  const parameters = inputs.map((input) => `${describeType(input)}${input.indexed ? ' indexed' : ''}`)
  const name = 'name' in item ? `${item.type} ${item.name}` : item.type
  return `${name}(${parameters})${item.type === 'function' ? describeResult(item) : ''}`
}

function describeResult({ outputs, stateMutability }: AbiFunction): string {
  return `${stateMutability === 'payable' ? ' payable' : ''} (${outputs.map(describeType)})`
}

function describeType(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type
  return `(${parameter.components.map(describeType)})${parameter.type.slice('tuple'.length)}`
}
