import { checkedAddress, HaftError, type Net, type Problem } from "@haft/core/tool";

/** The reason why a request to an address is sure to fail: nobody is asked about such a call. */
export async function refusalOf(address: string | URL, net: Net): Promise<Problem | undefined> {
  try {
    checkedAddress(address);
    await net.check?.(address);
    return undefined;
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
}
