import type { Abi, AbiParameter } from 'viem'

type Parameter = AbiParameter & { indexed?: boolean }

/**
 * Returns one sorted line per item. Equivalent ABIs have equal lines: order, internal types and empty names are
 * ignored.
 */
export function describeAbi(abi: Abi): string[] {
  return abi.map((item) => JSON.stringify(describeItem(item))).sort()
}

function describeItem(item: Abi[number]): unknown[] {
  const inputs = 'inputs' in item ? (item.inputs as readonly Parameter[]).map(describeParameter) : []
  const outputs = 'outputs' in item ? (item.outputs as readonly Parameter[]).map(describeParameter) : []
  const name = 'name' in item ? item.name : ''
  return [item.type, name, inputs, outputs, 'stateMutability' in item ? item.stateMutability : '']
}

function describeParameter(parameter: Parameter): unknown[] {
  const components = 'components' in parameter ? parameter.components.map(describeParameter) : []
  return [parameter.type, parameter.name ?? '', parameter.indexed ?? false, components]
}
