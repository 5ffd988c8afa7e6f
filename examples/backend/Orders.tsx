import { useAccessToken } from 'latchkey/react'

export function Orders() {
  const { getAccessTokenAsync } = useAccessToken()
  const load = async () => {
    const token = await getAccessTokenAsync()
    const response = await fetch('/api/orders', { headers: { Authorization: `Bearer ${token}` } })
    console.log(await response.json())
  }
  return (
    <button type="button" onClick={load}>
      Load orders
    </button>
  )
}
