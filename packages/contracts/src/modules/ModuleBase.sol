// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IModule} from "../modularAccountV2/erc6900/IModule.sol";

/// Implements what all modules share. `msg.sender` is the account, and all state is associated with it: every slot is a
/// hash over the account's address first, as bundlers demand (ERC-7562).
abstract contract ModuleBase is IModule {
    error NotImplemented();
    error UnexpectedDataPassed();

    /// Refuses data for a hook that reads none: they would change the operation's signature without a meaning.
    modifier assertNoData(bytes calldata data) {
        if (data.length > 0) revert UnexpectedDataPassed();
        _;
    }

    /// Lists the supported interfaces (ERC-165).
    function supportsInterface(bytes4 interfaceId) public view virtual returns (bool) {
        return interfaceId == 0x01ffc9a7 || interfaceId == type(IModule).interfaceId;
    }
}
