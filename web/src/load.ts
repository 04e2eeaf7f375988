/* Loads data of a page from the server: nothing yet, a value, or an error. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { Refused } from "./api";
import { useSession } from "./session";

export type Loaded<T> = { value?: T; refused?: Refused; again: () => void };

export function useLoaded<T>(get: () => Promise<T>, on: unknown[] = []): Loaded<T> {
  const { trouble, back } = useSession();
  const [state, setState] = useState<{ value?: T; refused?: Refused }>({});
  const [turn, setTurn] = useState(0);
  const again = useCallback(() => setTurn((n) => n + 1), []);

  useEffect(() => {
    let wanted = true;
    get().then(
      (value) => wanted && setState({ value }),
      (e) => {
        if (!wanted || trouble(e)) return;
        if (!(e instanceof Refused)) throw e;
        setState({ refused: e });
      });
    return () => { wanted = false; };
  }, [turn, back, ...on]);
  return { ...state, again };
}
