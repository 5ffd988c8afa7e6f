import type { Abi, AbiFunction, AbiParameter } from 'viem'

/**
 * How two ABIs differ, in what a caller sees: signatures of functions with their results and whether they take ether,
 * events with what is indexed, errors. Names of parameters, and view against pure, do not count.
 */
export function namesOf(actual: Abi, published: Abi): { missing: string[]; extra: string[] } {
  const [has, wants] = [new Set(actual.map(nameOf)), new Set(published.map(nameOf))]
  return {
    missing: [...wants].filter((name) => !has.has(name)).sort(),
    extra: [...has].filter((name) => !wants.has(name)).sort(),
  }
}

function nameOf(item: Abi[number]): string {
  const inputs = 'inputs' in item ? (item.inputs as readonly (AbiParameter & { indexed?: boolean })[]) : []
  const parameters = inputs.map((input) => `${typeOf(input)}${input.indexed ? ' indexed' : ''}`)
  const name = 'name' in item ? `${item.type} ${item.name}` : item.type
  return `${name}(${parameters})${item.type === 'function' ? answerOf(item) : ''}`
}

function answerOf({ outputs, stateMutability }: AbiFunction): string {
  return `${stateMutability === 'payable' ? ' payable' : ''} (${outputs.map(typeOf)})`
}

function typeOf(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type
  return `(${parameter.components.map(typeOf)})${parameter.type.slice('tuple'.length)}`
}
