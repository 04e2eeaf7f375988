export function BudgetPage() {
  return <h1>Budget</h1>;
}
