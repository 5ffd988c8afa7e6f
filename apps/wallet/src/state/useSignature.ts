import { useMutation } from '@tanstack/react-query'
import { useBundlerClient, useSignMessage, useSignTypedData } from 'latchkey/react'
import type { Hex, TypedDataDefinition } from 'viem'
import { getCode, verifyMessage, verifyTypedData } from 'viem/actions'
import type { Client } from './useSending.ts'

export type SignatureKind = 'message' | 'typed data'
export type Signed = { signature: Hex; isValid: boolean; isDeployed: boolean }

/** Signs with the account and verifies the signature on the chain. */
export function useSignature(client: Client | undefined) {
  const reader = useBundlerClient()
  const { signMessageAsync } = useSignMessage({ client })
  const { signTypedDataAsync } = useSignTypedData({ client })
  return useMutation({
    mutationFn: async ({ kind, text }: { kind: SignatureKind; text: string }): Promise<Signed> => {
      const address = client?.smartAccount.address as Hex
      const typedData = createNote(text, reader.chain.id)
      const signature =
        kind === 'message'
          ? await signMessageAsync({ message: text })
          : await signTypedDataAsync({ typedData: typedData as TypedDataDefinition })
      const [isValid, code] = await Promise.all([
        kind === 'message'
          ? verifyMessage(reader, { address, message: text, signature })
          : verifyTypedData(reader, { ...typedData, address, signature }),
        getCode(reader, { address }),
      ])
      return { signature, isValid, isDeployed: code !== undefined && code !== '0x' }
    },
  })
}

function createNote(text: string, chainId: number) {
  return {
    domain: { name: 'Latchkey wallet', version: '1', chainId },
    types: { Note: [{ name: 'text', type: 'string' }] },
    primaryType: 'Note',
    message: { text },
  } as const
}
