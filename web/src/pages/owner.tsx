export function OwnerPage() {
  return <h1>Owner</h1>;
}
