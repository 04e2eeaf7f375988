export function LearnPage() {
  return <h1>Learn</h1>;
}
