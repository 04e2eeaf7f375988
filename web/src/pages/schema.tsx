export function SchemaPage() {
  return <h1>Schema</h1>;
}
