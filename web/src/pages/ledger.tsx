export function LedgerPage() {
  return <h1>Ledger</h1>;
}
