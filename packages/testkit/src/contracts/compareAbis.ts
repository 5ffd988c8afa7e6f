import type { Abi, AbiFunction, AbiParameter } from 'viem'

/**
 * How two ABIs differ, in what a caller sees: signatures of functions with their results and whether they take ether,
 * events with what is indexed, errors. Names of parameters, and view against pure, do not count.
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
