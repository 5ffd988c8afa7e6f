import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { getPluginAddress, installSessionKeyPlugin, uninstallPlugin } from 'latchkey/accounts'
import { useChain } from 'latchkey/react'
import { useState } from 'react'
import { type Address, isAddressEqual } from 'viem'
import { toSentence } from '../format.ts'
import { PlugIcon } from '../parts/Icons.tsx'
import { Outcome } from '../parts/Outcome.tsx'
import { Question } from '../parts/Question.tsx'
import { Row } from '../parts/Row.tsx'
import { type Plugin, usePlugins } from '../state/plugins.ts'
import { useChange } from '../state/useChange.ts'
import type { Client } from '../state/useSending.ts'

type PluginsCardProps = { client: Client | undefined; account: Address; isDeployed: boolean }

/** Lists a modular account's plugins (ERC-6900). */
export function PluginsCard({ client, account, isDeployed }: PluginsCardProps) {
  const { chain } = useChain()
  const { data: plugins, error } = usePlugins(account, isDeployed)
  const { change, isChanging, outcome } = useChange()
  const [leaving, setLeaving] = useState<Plugin | null>(null)
  const sessionKeyPlugin = getPluginAddress({ name: 'SessionKeyPlugin', chain })
  const hasSessionKeys = plugins?.some(({ address }) => isAddressEqual(address, sessionKeyPlugin)) ?? true
  const isBlocked = !client || isChanging

  const install = () =>
    client &&
    change({
      title: 'Installed the session-key plugin',
      failed: 'Could not install the plugin',
      send: () => installSessionKeyPlugin(client, { waitForTxn: true }),
    })
  const uninstall = ({ address, name }: Plugin) =>
    client &&
    change({
      title: `Uninstalled ${name}`,
      failed: `Could not uninstall ${name}`,
      send: () => uninstallPlugin(client, { pluginAddress: address, waitForTxn: true }),
    })

  return (
    <Card
      className="plugins"
      title="Plugins"
      aside={
        !hasSessionKeys && (
          <Button look="small" isBusy={isChanging} isBlocked={isBlocked} onClick={install}>
            Install session keys
          </Button>
        )
      }
    >
      {error && <p className="sub">{toSentence(error)}</p>}
      {plugins?.length === 0 && <p className="sub">Your first operation deploys the account with its owner plugin.</p>}
      <ul className="list">
        {plugins?.map((plugin) => (
          <Row
            key={plugin.address}
            icon={<PlugIcon />}
            title={`${plugin.name} ${plugin.version}`}
            detail={plugin.address}
          >
            {plugin.isOwnerPlugin ? (
              <span className="pill quiet">Required</span>
            ) : (
              <Button
                look="small"
                aria-label={`Uninstall ${plugin.name}`}
                isBlocked={isBlocked}
                onClick={() => setLeaving(plugin)}
              >
                Uninstall
              </Button>
            )}
          </Row>
        ))}
      </ul>
      <Outcome outcome={outcome} />
      {leaving && (
        <Question
          title={`Uninstall “${leaving.name}”?`}
          yes="Uninstall plugin"
          no="Keep it"
          onYes={() => uninstall(leaving)}
          onClose={() => setLeaving(null)}
        >
          Everything it allows stops at once, for all its keys. You can install it again.
        </Question>
      )}
    </Card>
  )
}
