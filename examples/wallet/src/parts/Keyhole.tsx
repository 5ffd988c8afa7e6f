export function Keyhole({ size }: { size: number }) {
  return <img src="./icon.svg" width={size} height={size} alt="" />
}
