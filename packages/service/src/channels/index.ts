/** @module Channels: ways to reach people, set up by the user. */
export { type ChannelsOptions, createChannels } from "./channels.ts";
