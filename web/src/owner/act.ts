/* Runs one act on the server at a time: says whether it is running, and with which
   error it failed. */
import { useState } from "preact/hooks";
import { Refused } from "../api";
import { useSession } from "../session";

export function useAct() {
  const { trouble } = useSession();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);

  const run = async (act: () => Promise<void>) => {
    setBusy(true);
    setRefused(null);
    try {
      await act();
    } catch (e) {
      if (!trouble(e)) {
        if (!(e instanceof Refused)) throw e;
        setRefused(e);
      }
    } finally {
      setBusy(false);
    }
  };
  return { busy, refused, run };
}
