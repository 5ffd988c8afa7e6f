import { useAddPasskey, useExportAccount, useListAuthMethods, useRemovePasskey } from '@account-kit/react'

export function Settings() {
  const { data: authMethods, isLoading } = useListAuthMethods()
  const { addPasskey, isAddingPasskey } = useAddPasskey({ onError: (error) => console.error(error) })
  const { removePasskey, isRemovingPasskey } = useRemovePasskey()
  const { exportAccount, isExporting, isExported, ExportAccountComponent } = useExportAccount({
    params: { iframeContainerId: 'export-container' },
  })
  if (isLoading) return <p>Loading</p>
  return (
    <section>
      <ul id="passkeys">
        {authMethods?.passkeys.map((passkey) => (
          <li key={passkey.authenticatorId}>
            {passkey.name} {new Date(passkey.createdAt).toLocaleDateString()}
            <button type="button" disabled={isRemovingPasskey} onClick={() => removePasskey(passkey.authenticatorId)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      <button type="button" disabled={isAddingPasskey} onClick={() => addPasskey()}>
        Add a passkey
      </button>
      <button type="button" disabled={isExporting} onClick={() => exportAccount()}>
        Export
      </button>
      <ExportAccountComponent isExported={isExported} />
    </section>
  )
}
